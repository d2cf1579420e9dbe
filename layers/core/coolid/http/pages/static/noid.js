// NOIDs (J. Kunze and M. Russell, "Noid"): names from a template such as ".reedeedk", with a check character (NCDA)
// over NAAN, slash, shoulder and name, or over the name alone, as in coolid/identifiers/schemes/noid.py.
import { Unfit } from "./unfit.js";

export const ALPHABET = "0123456789bcdfghjkmnpqrstvwxz";
const BASES = { d: 10n, e: BigInt(ALPHABET.length) };
const TEMPLATE = /^([0-9A-Za-z=~*+@_$]{0,64})\.([rsz])([de]{1,64})(k?)$/;
const NAAN = /^[0-9b-df-hj-km-np-tv-xz]{0,64}$/;

// Returns {prefix, generator, mask, check, head, capacity}: `head` is the text before the mask that the check character
// covers; `capacity` is null if the number of names is unlimited. Throws an Unfit.
export function parseTemplate(text, naan = "", shoulder = "") {
  const found = TEMPLATE.exec(text);
  if (!found) throw new Unfit("unfit-template");
  if (!NAAN.test(naan)) throw new Unfit("unfit-naan");
  const [, prefix, generator, mask, check] = found;
  return {
    prefix, generator, mask,
    check: check === "k",
    head: (naan ? `${naan}/${shoulder}` : "") + prefix,
    capacity: generator === "z" ? null : [...mask].reduce((all, kind) => all * BASES[kind], 1n),
  };
}

// Returns the name of a number; with an unlimited template it grows to the left by the mask's first character.
export function encode(number, { prefix, mask, check, head, capacity }) {
  const isBeyond = capacity !== null && number >= capacity;
  if (number < 0n || isBeyond) throw new RangeError(`${number} is outside the template`);
  let rest = number;
  let body = "";
  for (let place = mask.length - 1; place >= 0 || rest > 0n; place -= 1) {
    const base = BASES[mask[Math.max(place, 0)]];
    body = ALPHABET[rest % base] + body;
    rest /= base;
  }
  return prefix + body + (check ? checkCharacter(head + body) : "");
}

// Returns the sum of each character's position, from 1, times its index in the alphabet (0 for other characters).
export function checkCharacter(zone) {
  const total = [...zone].reduce((sum, symbol, at) => sum + (at + 1) * Math.max(ALPHABET.indexOf(symbol), 0), 0);
  return ALPHABET[total % ALPHABET.length];
}
