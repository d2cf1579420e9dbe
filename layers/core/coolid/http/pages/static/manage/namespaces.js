// The namespaces that the key of the session may write under.
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

// Returns the path of a prefix in the API.
export function prefixPath(prefix) {
  return `/api/v1/prefixes/${prefix.split("/").map(encodeURIComponent).join("/")}`;
}
