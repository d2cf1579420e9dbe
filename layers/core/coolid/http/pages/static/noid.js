// NOIDs (J. Kunze and M. Russell, "Noid"): names after a template such as ".reedeedk", with a check character (NCDA)
// over NAAN, slash, shoulder and name, or over the name alone. The same as coolid/identifiers/schemes/noid.py.
import { Unfit } from "./unfit.js";

export const ALPHABET = "0123456789bcdfghjkmnpqrstvwxz";
const BASES = { d: 10n, e: BigInt(ALPHABET.length) };
const TEMPLATE = /^([0-9A-Za-z=~*+@_$]{0,64})\.([rsz])([de]{1,64})(k?)$/;
const NAAN = /^[0-9b-df-hj-km-np-tv-xz]{0,64}$/;

// {prefix, generator, mask, check, head, capacity}: `head` is what the check covers in front of the mask, `capacity`
// null where there is no end to the names. Throws an Unfit.
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

// The name of a number; one of a template without end grows to the left, by the mask's first character.
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

// The sum of each character's position, from 1, times its place in the alphabet; what is not in it counts 0.
export function checkCharacter(zone) {
  const total = [...zone].reduce((sum, symbol, at) => sum + (at + 1) * Math.max(ALPHABET.indexOf(symbol), 0), 0);
  return ALPHABET[total % ALPHABET.length];
}
