// The canonical form of a JSON value, which is hashed and signed: RFC 8785, the JSON Canonicalization Scheme.
//
// RFC 8785 follows ECMAScript: JSON.stringify writes numbers and strings as it requires, and sort() orders texts by UTF-16
// code units. This module only rejects values without a canonical form: half a surrogate pair is not a character.

const HALF = /\p{Surrogate}/u; // by code points, so that pairs are none

// Returns the canonical form as text, to be encoded in UTF-8. The value is a result of JSON.parse.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${text(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  if (typeof value === "string") return text(value);
  // JSON.stringify writes null for NaN and infinities.
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("a number without end");
  if (value !== null && !["number", "boolean"].includes(typeof value)) throw new TypeError("this is not JSON");
  return JSON.stringify(value);
}

// Returns whether a text contains only whole characters.
export function isWhole(string) {
  return !HALF.test(string);
}

function text(string) {
  if (!isWhole(string)) throw new TypeError("half a surrogate pair");
  return JSON.stringify(string);
}
