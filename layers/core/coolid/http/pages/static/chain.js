// The history chain of a record (coolid/proofs/history_chain.py): each version contains the digest of its predecessor.
// The page follows only the versions of one issuer, so that a transfer of custody ends the chain.
// A link is a record's document with its own digest; `previous` is null if it names no predecessor.

import { canonical } from "./canonical.js";

const CONSTANT = ["pid", "id", "repository", "issuer", "created"];

// Returns the checks of a chain, newest version first, and whether it reaches the first version.
export function follow(newest, older) {
  const checks = [];
  const add = (passed, key, values) => checks.push({ name: "chain", passed, key, values });
  const broken = (later, earlier = later - 1, key = "proof-chain") => add(false, key, { later, earlier });
  const byVersion = new Map([[newest.version, newest]]);
  for (const link of older) {
    if (link.version > newest.version) broken(newest.version, link.version);
    else if (!byVersion.has(link.version)) byVersion.set(link.version, link);
    else if (byVersion.get(link.version).digest !== link.digest) broken(link.version, link.version);
  }
  const links = [...byVersion.values()].sort((one, other) => other.version - one.version);
  for (const link of links) {
    if ((link.version === 1) !== (link.previous === null)) broken(link.version);
  }
  links.slice(1).forEach((earlier, index) => compare(links[index], earlier, broken));
  if (checks.length) return { checks, complete: false };
  let reached = newest.version;
  while (byVersion.has(reached - 1)) reached -= 1;
  const key = reached < newest.version ? "proof-chain-held" : reached === 1 ? "proof-chain-first" : "proof-chain-none";
  add(true, key, { first: reached, last: newest.version, before: reached - 1 });
  return { checks, complete: reached === 1 };
}

function compare(later, earlier, broken) {
  const versions = [later.version, earlier.version];
  for (const member of CONSTANT) if (later[member] !== earlier[member]) broken(...versions);
  if (later.updated < earlier.updated) broken(...versions); // both in one form, in which order is time
  const isNext = later.version === earlier.version + 1;
  if (isNext && earlier.status === "withdrawn" && later.status !== "active" && !isSame(later, earlier)) broken(...versions);
  if (isNext && later.previous !== null && later.previous !== earlier.digest)
    broken(...versions, "proof-chain-digest");
}

// Returns whether a version changes only the custody of a tombstone.
function isSame(later, earlier) {
  const tombstone = ({ withdrawn = null, metadata }) => canonical([withdrawn, metadata?.linkid?.state ?? null]);
  const custody = ({ metadata }) => canonical(metadata?.linkid ?? null);
  const isTombstone = later.status === "withdrawn" && tombstone(later) === tombstone(earlier);
  return isTombstone && custody(later) !== custody(earlier);
}
