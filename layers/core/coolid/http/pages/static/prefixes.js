// Prefixes and identifiers put together, as coolid/model/prefixes.py does it, and written into an address.
const SHOULDER = /^ark:[^/:]+\/([a-z]+[0-9])$/;
const HANDLE_PREFIX = /^[0-9]+(\.[0-9a-z_-]+)+$/;

// The shoulder that a prefix ends with; nothing if it is none.
export function shoulderOf(prefix) {
  return SHOULDER.exec(prefix)?.[1] ?? "";
}

// How the identifiers under a prefix begin: a slash stands after names of many parts, Handle prefixes and NAANs, nothing
// after shoulders, else a colon.
export function opening(prefix) {
  if (shoulderOf(prefix)) return prefix;
  return prefix + (prefix.includes("/") || prefix.startsWith("ark:") || HANDLE_PREFIX.test(prefix) ? "/" : ":");
}

// As it stands in the path of an address: a percent sign in it is one, and slashes stay as they are.
export function inPath(identifier) {
  return encodeURI(identifier).replace(/[?#]/g, encodeURIComponent);
}
