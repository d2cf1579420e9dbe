// The one form of a JSON value that is hashed and signed: RFC 8785, the JSON Canonicalization Scheme.
//
// ECMAScript's own rules are those of RFC 8785: how JSON.stringify writes numbers and strings, and how sort() orders
// texts, by UTF-16 code units. What is left is what has no such form, which throws: half a surrogate pair is no character.

const HALF = /\p{Surrogate}/u; // by code points, so that pairs are none

// The form as text, to be encoded in UTF-8. The value is what JSON.parse gives.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${text(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  if (typeof value === "string") return text(value);
  // JSON.stringify writes null for what is no number.
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("a number without end");
  if (value !== null && !["number", "boolean"].includes(typeof value)) throw new TypeError("this is not JSON");
  return JSON.stringify(value);
}

// Whether a text is one of whole characters.
export function isWhole(string) {
  return !HALF.test(string);
}

function text(string) {
  if (!isWhole(string)) throw new TypeError("half a surrogate pair");
  return JSON.stringify(string);
}
