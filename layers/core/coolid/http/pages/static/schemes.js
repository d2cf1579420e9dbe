// Generates identifiers of the schemes, like `coolid generate`, without requests to the service.
import { coolDoi, lui, ror } from "./crockford.js";
import { below, bytes, integer } from "./dice.js";
import { encode, parseTemplate } from "./noid.js";
import { opening, shoulderOf } from "./prefixes.js";
import { Unfit } from "./unfit.js";

const BASE_31 = "0123456789BCDFGHJKLMNPQRSTVWXYZ";
const SINCE_1582 = 12219292800000n; // milliseconds from 1582-10-15, where UUIDs and PILIN begin, to 1970
const OBJECT_ID = "0123456789abcdefghijkmnpqrstuvwxyz";
const MODULE = /^[A-Za-z0-9_-]{1,64}$/;

// Returns distinct identifiers of a scheme. `wishes` contains the options of the scheme: symbols, version, template,
// naan, namespace, objectType, issued, and prefix. Throws an Unfit.
export function draw(scheme, wishes, number) {
  return SCHEMES[scheme](wishes, number);
}

const SCHEMES = {
  lui: ({ symbols }, number) => drawn(number, 32n ** BigInt(symbols), (drawn) => lui(drawn, symbols)),
  cooldoi: (_, number) => drawn(number, 32n ** 8n, coolDoi),
  // One per millisecond, up to now, so that none is in the future.
  pilin: (_, number) => counted(number, SINCE_1582 + BigInt(Date.now() - number), pilin),
  noid: noids,
  uuid: ({ version }, number) => Array.from({ length: number }, () => (version === 4 ? uuid4() : uuid7())),
  linkid: (_, number) => Array.from({ length: number }, () => hyphenated(uuid4())),
  ror: (_, number) => drawn(number, 32n ** 6n, ror),
  contextual: contextuals,
};

function drawn(number, capacity, write) {
  if (BigInt(number) > capacity) throw new Unfit("unfit-capacity", { capacity, number });
  const numbers = new Set();
  while (numbers.size < number) numbers.add(below(capacity));
  return [...numbers].map((each) => write(each));
}

function counted(number, first, write) {
  return Array.from({ length: number }, (_, at) => write(first + BigInt(at)));
}

// Milliseconds since 1582 in base 31, nine digits, the least significant first.
export function pilin(milliseconds) {
  if (milliseconds < 0n || milliseconds >= 31n ** 9n) throw new RangeError(`${milliseconds} does not fit`);
  let text = "";
  for (let rest = milliseconds; text.length < 9; rest /= 31n) text += BASE_31[rest % 31n];
  return text;
}

function noids({ template, naan, prefix }, number) {
  const parsed = parseTemplate(template, naan, naan ? shoulderOf(trimmed(prefix).toLowerCase()) : "");
  const write = (each) => encode(each, parsed);
  if (parsed.generator === "r") return drawn(number, parsed.capacity, write);
  if (parsed.capacity !== null && BigInt(number) > parsed.capacity) {
    throw new Unfit("unfit-capacity", { capacity: parsed.capacity, number });
  }
  return counted(number, 0n, write);
}

// Returns 128 bits as 32 digits, with the version and the variant of RFC 9562 set.
export function stamped(bits, version) {
  const free = bits & ~(0xfn << 76n) & ~(0b11n << 62n);
  return (free | (BigInt(version) << 76n) | (0b10n << 62n)).toString(16).padStart(32, "0");
}

export function uuid4() {
  return stamped(integer(bytes(16)), 4);
}

// Writes 32 digits as 8-4-4-4-12, as after `linkid:`.
export function hyphenated(digits) {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function uuid7() {
  return stamped((BigInt(Date.now()) << 80n) | integer(bytes(10)), 7);
}

function contextuals({ namespace, objectType, issued }, number) {
  if (!MODULE.test(namespace) || !MODULE.test(objectType)) throw new Unfit("unfit-module");
  const write = (drawn) => [namespace, objectType, objectId(drawn), ...(issued ? [issued] : [])].join(".");
  return drawn(number, BigInt(OBJECT_ID.length) ** 10n, write);
}

// Ten symbols, the least significant first.
export function objectId(number) {
  let text = "";
  for (let rest = number; text.length < 10; rest /= BigInt(OBJECT_ID.length)) {
    text += OBJECT_ID[rest % BigInt(OBJECT_ID.length)];
  }
  return text;
}

// Returns the SHA-256 of bytes as 64 digits. Browsers provide it only over https or on the same machine.
export async function sha256(content) {
  if (!crypto.subtle) throw new Unfit("unfit-insecure");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return [...digest].map((octet) => octet.toString(16).padStart(2, "0")).join("");
}

// Returns the text before a scheme's identifiers under a prefix, which may be only a NAAN.
export function start(scheme, prefix) {
  const name = trimmed(prefix);
  if (!name) return "";
  return scheme === "cooldoi" || scheme === "pilin" || /^[0-9]+$/.test(name) ? `${name}/` : opening(name);
}

function trimmed(prefix) {
  return prefix.trim().replace(/\/+$/, "");
}
