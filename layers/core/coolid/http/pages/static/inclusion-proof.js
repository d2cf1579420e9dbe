// Verifies that a transparency log contains an entry: C2SP tlog-proof, tlog-checkpoint, signed-note and tlog-cosignature.
import { binary } from "./proof.js";

const PROOF = /^c2sp\.org\/tlog-proof@v1\n(?:extra ([^\n]*)\n)?index (0|[1-9]\d{0,18})\n((?:[^\n]+\n)*)\n([^]*)$/;
const BODY = /^([^\n]+)\n(0|[1-9]\d{0,18})\n([^\n]+)\n(?:[^\n]+\n)*$/;
const SIGNATURE = /^— ([^ +\n]+) ([^ \n]+)$/;
const WITNESS = /^[ \t]*witness[ \t]+[^ \t]+[ \t]+([^ \t]+)/gm;
const MOST_HASHES = 63;
const MOST_SIGNATURES = 64;
const ED25519 = { name: "Ed25519" };
const NOTE = 1; // types of signatures
const COSIGNATURE = 4;
const LEAF = 0;
const NODE = 1;

// A reason why a proof does not hold; `key` names it.
export class Unproven extends Error {
  constructor(key, values = {}) {
    super(key);
    Object.assign(this, { key, values });
  }
}

// Checks the text of a proof for an entry (a string) of the log that signs with `verifierKey`. Returns {index, size, origin,
// isSigned, witnesses}: `isSigned` is null if the browser lacks Ed25519, `witnesses` the number of witnesses in the text of
// `policy` that cosigned. Throws Unproven.
export async function verifyInclusion(text, entry, verifierKey, policy = "") {
  const proof = readProof(text);
  const log = await readKey(verifierKey, NOTE);
  if (!log) throw new Unproven("key");
  const { origin, size, root, body, signatures } = proof.checkpoint;
  if (origin !== log.name) throw new Unproven("origin", { origin: origin.slice(0, 120) });
  const leaf = await hash(LEAF, new TextEncoder().encode(entry));
  const computed = await rootOf(leaf, proof.index, size, proof.hashes);
  if (computed === null || binary(computed) !== binary(root)) throw new Unproven("inclusion");
  const isSigned = await isSignedBy(log, body, signatures);
  if (isSigned === false) throw new Unproven("signature");
  const keys = await Promise.all([...policy.matchAll(WITNESS)].map(([, key]) => readKey(key, COSIGNATURE)));
  const cosigned = await Promise.all(keys.filter(Boolean).map((key) => isSignedBy(key, body, signatures)));
  return { index: proof.index, size, origin, isSigned, witnesses: cosigned.filter(Boolean).length };
}

function readProof(text) {
  const [, extra, index, lines, note] = PROOF.exec(text) ?? [];
  const hashes = lines?.split("\n").slice(0, -1).map(hashOf);
  const isExtra = extra === undefined || bytesOf(extra) !== null;
  if (!note || !isExtra || hashes.length > MOST_HASHES || hashes.includes(null)) throw new Unproven("form");
  const checkpoint = readCheckpoint(note);
  if (BigInt(index) >= checkpoint.size) throw new Unproven("form");
  return { index: BigInt(index), hashes, checkpoint };
}

function readCheckpoint(note) {
  const end = note.lastIndexOf("\n\n");
  const body = note.slice(0, end + 1);
  const lines = note.slice(end + 2).split("\n");
  const [, origin, size, encoded] = (end > 0 && lines.pop() === "" && BODY.exec(body)) || [];
  const root = encoded === undefined ? null : hashOf(encoded);
  const signatures = lines.map(signatureOf);
  const isSound = root && signatures.length <= MOST_SIGNATURES && !signatures.includes(null);
  if (!isSound) throw new Unproven("form");
  return { origin, size: BigInt(size), root, body, signatures };
}

function signatureOf(line) {
  const [, name, encoded] = SIGNATURE.exec(line) ?? [];
  const bytes = encoded && bytesOf(encoded);
  return bytes?.length > 4 ? { name, id: binary(bytes.slice(0, 4)), bytes: bytes.slice(4) } : null;
}

function hashOf(encoded) {
  const bytes = bytesOf(encoded);
  return bytes?.length === 32 ? bytes : null;
}

// Returns a verifier key of this signature type (NAME+ID+KEY), or null.
async function readKey(text, type) {
  const [, name, id, encoded] = /^([^ +]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const bytes = encoded && bytesOf(encoded);
  if (bytes?.length !== 33 || bytes[0] !== type) return null;
  const named = new Uint8Array([...new TextEncoder().encode(`${name}\n`), ...bytes]);
  const computed = new Uint8Array(await crypto.subtle.digest("SHA-256", named)).slice(0, 4);
  if (Array.from(computed, (byte) => byte.toString(16).padStart(2, "0")).join("") !== id) return null;
  return { name, type, id: binary(computed), bytes: bytes.slice(1) };
}

// Returns whether the note has signatures of the key, all valid, or null if the browser lacks Ed25519.
async function isSignedBy({ name, type, id, bytes }, body, signatures) {
  const own = signatures.filter((each) => each.name === name && each.id === id);
  let key;
  try {
    key = await crypto.subtle.importKey("raw", bytes, ED25519, false, ["verify"]);
  } catch (error) {
    return own.length && error.name === "NotSupportedError" ? null : false;
  }
  const results = await Promise.all(own.map(({ bytes: signed }) => isValid(key, type, signed, body)));
  return results.length > 0 && results.every(Boolean);
}

async function isValid(key, type, signed, body) {
  const isCosignature = type === COSIGNATURE;
  const signature = isCosignature ? signed.slice(8) : signed;
  if (signature.length !== 64) return false;
  const message = isCosignature ? `cosignature/v1\ntime ${new DataView(signed.buffer).getBigUint64(0)}\n${body}` : body;
  return crypto.subtle.verify(ED25519, key, signature, new TextEncoder().encode(message));
}

// Returns the root that a leaf and its inclusion proof give (RFC 9162, section 2.1.3.2), or null if they do not fit the size.
async function rootOf(leaf, index, size, hashes) {
  let [node, last, found] = [index, size - 1n, leaf];
  for (const sibling of hashes) {
    if (last === 0n) return null;
    if (node % 2n === 1n || node === last) {
      found = await hash(NODE, sibling, found);
      while (node % 2n === 0n && node !== 0n) [node, last] = [node / 2n, last / 2n];
    } else {
      found = await hash(NODE, found, sibling);
    }
    [node, last] = [node / 2n, last / 2n];
  }
  return last === 0n ? found : null;
}

async function hash(prefix, ...parts) {
  const bytes = new Uint8Array([prefix, ...parts.flatMap((part) => Array.from(part))]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// Returns the content of base64 text with padding (RFC 4648, section 4), or null if the text is not canonical.
function bytesOf(text) {
  if (/[^A-Za-z0-9+/=]/.test(text)) return null;
  try {
    const decoded = atob(text);
    return btoa(decoded) === text ? Uint8Array.from(decoded, (each) => each.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
