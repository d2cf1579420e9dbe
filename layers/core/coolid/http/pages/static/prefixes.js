// Identifiers with their prefixes, as in coolid/model/prefixes.py, and their form in URLs.
const SHOULDER = /^ark:[^/:]+\/([a-z]+[0-9])$/;
const HANDLE_PREFIX = /^[0-9]+(\.[0-9a-z_-]+)+$/;

// Returns the shoulder at the end of a prefix, or an empty text.
export function shoulderOf(prefix) {
  return SHOULDER.exec(prefix)?.[1] ?? "";
}

// Returns the beginning of the identifiers under a prefix: a slash follows names of several parts, Handle prefixes and
// NAANs, nothing follows shoulders, and a colon follows all others.
export function opening(prefix) {
  if (shoulderOf(prefix)) return prefix;
  return prefix + (prefix.includes("/") || prefix.startsWith("ark:") || HANDLE_PREFIX.test(prefix) ? "/" : ":");
}

// Returns an identifier as part of a URL's path: percent signs are escaped, slashes are not.
export function inPath(identifier) {
  return encodeURI(identifier).replace(/[?#]/g, encodeURIComponent);
}
