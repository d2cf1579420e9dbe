// Verifies a record against its proof: the same checks in the same order as coolid/proofs/verification.py
// (docs/explanation/proofs.md). Documents are results of read() in strict.js. A check is {name, passed, key, values, version}: `key`
// and `values` are arguments of say(), `version` is the number of an older version that failed.
import { canonical } from "./canonical.js";
import { follow } from "./chain.js";
import { NotJson, read } from "./strict.js";

const TEXTS = ["pid", "id", "repository", "issuer", "status"];
const STATED = { pid: "pid", version: "version", iss: "issuer" };
const STATEMENT = ["digest", "iat", "iss", "pid", "version"];
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];
const ES256 = { name: "ECDSA", hash: "SHA-256" };
const CURVE = { name: "ECDSA", namedCurve: "P-256" };
const MOMENT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
// White space as in Python; \s is another set.
const WHITE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const ISSUER = new RegExp(`^https?://[^/?#@\\\\${WHITE}]+(?:/[^${WHITE}]*)?$`);

// A failed check, after which the checks that depend on it are not made.
class Objection extends Error {
  constructor(name, key, values = {}) {
    super(key);
    this.check = { name, passed: false, key, values };
  }
}

// Checks a document with a JWK Set and older versions: returns {checks, ok, complete, iat}. `complete` if every version
// back to the first was checked and passed; `iat` is when it was signed. `pid` is the requested record.
export async function verify(document, keys, older = [], { pid } = {}) {
  const { checks, link, iat } = await examine(document, keys, pid);
  const links = [];
  for (const each of older) {
    const examined = await examine(each, keys);
    const version = examined.link?.version ?? each.value?.version;
    checks.push(...examined.checks.filter((check) => !check.passed).map((check) => ({ ...check, version })));
    if (examined.link) links.push(examined.link);
  }
  const chain = link ? follow(link, links) : { checks: [], complete: false };
  checks.push(...chain.checks);
  const ok = checks.every(({ passed }) => passed);
  return { checks, ok, complete: chain.complete && ok, iat };
}

async function examine({ value: document, numbers }, keys, pid) {
  const checks = [];
  const held = (name, key, values = {}) => checks.push({ name, passed: true, key, values });
  let statement;
  try {
    demandMembers(document, numbers);
  } catch (error) {
    return { checks: [objection(error)] };
  }
  try {
    const signed = readProof(document.proof);
    held("proof", "proof-form-held");
    held("algorithm", "proof-algorithm-held");
    const key = await findKey(keys, signed.keyId);
    held("key", "proof-key-held", { key: signed.keyId });
    const isSigned = await crypto.subtle.verify(ES256, key, signed.signature, signed.input);
    if (isSigned) held("signature", "proof-signature-held");
    else checks.push(failed("signature", "proof-signature"));
    statement = statementOf(signed.payload);
    held("statement", "proof-statement-held", { time: time(statement.iat) });
  } catch (error) {
    checks.push(objection(error));
  }
  const { proof, ...signed } = document;
  const digest = `sha-256=:${btoa(binary(await sha256(canonical(signed))))}:`; // RFC 9530
  if (statement?.digest === digest) held("digest", "proof-digest-held", { digest });
  else if (statement) checks.push(failed("digest", "proof-digest"));
  checks.push(...identityChecks(document, statement, pid));
  return { checks, link: { ...document, digest, previous: document.previous ?? null }, iat: statement?.iat };
}

function failed(name, key, values = {}) {
  return new Objection(name, key, values).check;
}

function objection(error) {
  if (error instanceof Objection) return error.check;
  throw error;
}

// Requires the members of a record on which the other checks rely.
function demandMembers(document, numbers) {
  if (!isObject(document)) throw new Objection("document", "proof-object");
  const isSound = {
    version: (value) => Number.isSafeInteger(value) && value > 0 && numbers.get("version") === String(value),
    previous: (value) => value === undefined || typeof value === "string",
    created: isTime,
    updated: isTime,
  };
  for (const member of [...TEXTS, ...Object.keys(isSound)]) {
    const isFit = isSound[member] ?? ((text) => typeof text === "string");
    if (!isFit(document[member])) throw new Objection("document", "proof-member", { member });
  }
}

// Returns the content of a compact JWS (RFC 7515) that may be a proof. Its header must be {"alg":"ES256","kid":…} byte for
// byte, because forgers write headers too.
function readProof(proof) {
  if ((proof ?? null) === null) throw new Objection("proof", "proof-none");
  const parts = typeof proof === "string" ? proof.split(".").map(fromBase64url) : [];
  if (parts.length !== 3 || parts.includes(null)) throw new Objection("proof", "proof-form");
  const [header, payload, signature] = parts;
  const keyId = keyIdOf(header);
  if (signature.length !== 64) throw new Objection("signature", "proof-signature");
  return { keyId, payload, signature, input: utf8(proof.slice(0, proof.lastIndexOf("."))) };
}

function keyIdOf(octets) {
  const { alg, kid, ...others } = jsonObject(octets, "algorithm", "proof-header");
  if (alg !== "ES256") throw new Objection("algorithm", "proof-algorithm", { algorithm: shown(alg) });
  if (Object.keys(others).length) throw new Objection("algorithm", "proof-header");
  if (typeof kid !== "string") throw new Objection("key", "proof-header");
  if (!isForm(octets, { alg, kid })) throw new Objection("algorithm", "proof-header");
  return kid;
}

// Returns the key with this name for verification; its name must be its computed thumbprint (RFC 7638).
async function findKey(keys, keyId) {
  const key = readable(keys).find(({ kid }) => kid === keyId);
  if (!key) throw new Objection("key", "proof-key-unknown", { key: shown(keyId) });
  const unfit = (why) => new Objection("key", why, { key: shown(keyId) });
  const { kty, crv, x, y, alg = "ES256", use = "sig", key_ops = ["verify"] } = key;
  const isFit =
    [kty, crv, alg, use].join() === "EC,P-256,ES256,sig" &&
    [kty, crv, alg, use, x, y].every((value) => typeof value === "string") &&
    [x, y].every((coordinate) => fromBase64url(coordinate)?.length === 32) &&
    Array.isArray(key_ops) &&
    key_ops.includes("verify");
  if (!isFit) throw unfit("proof-key-unfit");
  const point = { crv, kty, x, y };
  if (base64url(await sha256(canonical(point))) !== keyId) throw unfit("proof-key-thumbprint");
  try {
    return await crypto.subtle.importKey("jwk", point, CURVE, false, ["verify"]);
  } catch {
    throw unfit("proof-key-unfit"); // not a point on the curve
  }
}

// Returns the keys of a set that contains only public keys with distinct names.
function readable(keys) {
  const listed = isObject(keys) ? keys.keys : null;
  if (!Array.isArray(listed) || !listed.every(isObject)) throw new Objection("key", "proof-keys");
  const names = listed.map(({ kid }) => kid).filter((kid) => typeof kid === "string");
  const isBurnt = listed.some((key) => PRIVATE.some((member) => Object.hasOwn(key, member)));
  if (isBurnt || new Set(names).size < names.length) throw new Objection("key", "proof-keys");
  return listed;
}

function statementOf(octets) {
  const statement = jsonObject(octets, "statement", "proof-statement");
  const { pid, version, digest, iss, iat } = statement;
  const isOne =
    Object.keys(statement).sort().join() === STATEMENT.join() &&
    [pid, digest, iss].every((value) => typeof value === "string") &&
    [version, iat].every(Number.isSafeInteger) &&
    iat >= 0 &&
    isForm(octets, statement);
  if (!isOne) throw new Objection("statement", "proof-statement");
  return statement;
}

// Requires that record, statement, issuer and requested PID match.
function identityChecks(document, statement, pid) {
  const { pid: its, issuer, version } = document;
  const values = { pid: shown(its), issuer: shown(issuer), version };
  const checks = [];
  const contradicted = (key, member) => checks.push(failed("identity", key, { ...values, member }));
  for (const [stated, member] of Object.entries(STATED)) {
    if (statement && statement[stated] !== document[member]) contradicted("proof-stated", member);
  }
  if (!ISSUER.test(issuer) || !its.startsWith(`${issuer}/`)) contradicted("proof-beyond");
  if (pid !== undefined && its !== pid) contradicted("proof-another");
  return checks.length ? checks : [{ name: "identity", passed: true, key: "proof-identity-held", values }];
}

function jsonObject(octets, name, key) {
  let value;
  try {
    value = read(octets).value;
  } catch (error) {
    if (error instanceof NotJson) throw new Objection(name, key);
    throw error;
  }
  if (!isObject(value)) throw new Objection(name, key);
  return value;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isTime(text) {
  return typeof text === "string" && MOMENT.test(text) && time(Date.parse(text) / 1000) === text;
}

function time(seconds) {
  const moment = new Date(seconds * 1000);
  return Number.isNaN(+moment) ? `${seconds}` : moment.toISOString().replace(".000Z", "Z");
}

function shown(value) {
  const text = typeof value === "string" ? value : String(JSON.stringify(value));
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}

function utf8(text) {
  return new TextEncoder().encode(text);
}

async function sha256(text) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
}

export function binary(octets) {
  return Array.from(octets, (octet) => String.fromCharCode(octet)).join("");
}

function base64url(octets) {
  return btoa(binary(octets)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Returns the content of base64url text without padding (RFC 7515, section 2), or null if the text is not canonical.
function fromBase64url(text) {
  if (/[^\w-]/.test(text) || text.length % 4 === 1) return null;
  const octets = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  return base64url(octets) === text ? octets : null;
}

// Returns whether these octets are the RFC 8785 form of the value.
function isForm(octets, value) {
  return binary(octets) === binary(utf8(canonical(value)));
}
