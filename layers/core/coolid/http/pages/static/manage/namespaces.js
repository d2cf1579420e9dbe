// The namespaces that the key of the session may write under.
import { members } from "./api.js";
import { may } from "./session.js";

// Returns the documents of these namespaces. The API lists namespaces before all other prefixes.
export async function ownNamespaces() {
  const found = [];
  for await (const each of members("/api/v1/prefixes", { limit: 200 }, "prefixes")) {
    if (each.kind !== "namespace") break;
    if (may("mint", each.prefix) || may("update", each.prefix)) found.push(each);
  }
  return found;
}

// Returns the path of a prefix in the API.
export function prefixPath(prefix) {
  return `/api/v1/prefixes/${prefix.split("/").map(encodeURIComponent).join("/")}`;
}
