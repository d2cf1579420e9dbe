// Crockford's base32 and the schemes that use it: LUIs with two check digits (ISO/IEC 7064, MOD 97-10), Cool DOIs
// without, and ROR IDs, as in coolid/identifiers/schemes. Integers are BigInts, because 12 symbols are 60 bits.

export const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

// Returns an integer, 0 <= number < 32 ** symbols, in this number of symbols.
export function encode(number, symbols) {
  if (number < 0n || number >= 32n ** BigInt(symbols)) {
    throw new RangeError(`${number} does not fit ${symbols} symbols`);
  }
  let text = "";
  for (let rest = number; text.length < symbols; rest >>= 5n) text = ALPHABET[rest & 31n] + text;
  return text;
}

// Returns the text with a hyphen after every four symbols.
export function group(text) {
  return text.replace(/.{4}(?=.)/g, "$&-");
}

export function checkDigits(number) {
  return String(98n - ((number * 100n) % 97n)).padStart(2, "0");
}

export function lui(number, symbols = 8) {
  return group(encode(number, symbols) + checkDigits(number));
}

export function coolDoi(number) {
  return group(encode(number, 8));
}

// A ROR ID: a 0, six symbols, two check digits.
export function ror(number) {
  return "0" + encode(number, 6) + checkDigits(number);
}
