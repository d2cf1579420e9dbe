// Dice: the browser's cryptographic source (W3C Web Cryptography, getRandomValues), without favour for any number.

export function bytes(size) {
  return crypto.getRandomValues(new Uint8Array(size));
}

// The integer that bytes stand for, the highest first.
export function integer(octets) {
  return octets.reduce((number, octet) => (number << 8n) | BigInt(octet), 0n);
}

// A BigInt from 0 up to, not including, the limit. What falls outside is thrown again, since a remainder would
// favour the small numbers.
export function below(limit) {
  const bits = (limit - 1n).toString(2).length;
  const size = Math.ceil(bits / 8);
  for (;;) {
    const number = integer(bytes(size)) >> BigInt(8 * size - bits);
    if (number < limit) return number;
  }
}
