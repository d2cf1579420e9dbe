// The namespaces that the key of the session may write under.
import { opening } from "../prefixes.js";
import { base } from "../words.js";
import { members } from "./api.js";
import { may } from "./session.js";

// Returns them in order: [{prefix, title, repository, canonical}]. All but the prefix are of the repository.
export async function ownNamespaces() {
  const found = [];
  for await (const { id, title, canonical, prefixes } of members("/api/v1/repositories", { limit: 500 }, "repositories")) {
    const own = prefixes.filter((prefix) => may("mint", prefix) || may("update", prefix));
    found.push(...own.map((prefix) => ({ prefix, title, repository: id, canonical })));
  }
  return found.sort((one, other) => (one.prefix < other.prefix ? -1 : 1));
}

// Returns a PID under a prefix that the key may write under, if possible one whose records it may change: its scopes may
// name only one of several prefixes of a repository, and not the canonical one.
export function writableSpelling(pid, namespaces) {
  const isOf = ({ canonical }) => canonical && pid.startsWith(`${base}/${opening(canonical)}`);
  const rank = ({ prefix, canonical }) => 4 * canonical.length + 2 * may("update", prefix) + (prefix === canonical);
  const [found] = namespaces.filter(isOf).sort((one, other) => rank(other) - rank(one));
  if (!found || found.prefix === found.canonical) return pid;
  return opening(found.prefix) + pid.slice(base.length + 1 + opening(found.canonical).length);
}

// Returns the path of a prefix in the API.
export function prefixPath(prefix) {
  return `/api/v1/prefixes/${prefix.split("/").map(encodeURIComponent).join("/")}`;
}
