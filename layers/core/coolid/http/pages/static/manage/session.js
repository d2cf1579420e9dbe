// The session: the API key of this tab, and its client {id, scopes, note, quota, created}.
//
// Both are in sessionStorage, which belongs to this tab and this origin and ends with the tab. The key is nowhere else:
// not in a cookie, a URL, another storage, the document or the console. Only api.js reads it, to send it as a header.
//
// Other modules use `client()`, `isAdmin()` and `may(verb, prefix)`. Signing in and out is the part of gate.js.
import { ask, Failure } from "../service.js";
import { say } from "../words.js";

const KEY = "coolid-key";
const CLIENT = "coolid-client";
const HANDED = "coolid-handed-";
const FORM = /^cool_([a-z2-7]{8})_[A-Za-z0-9_-]{43}$/;
const ADMIN = "admin";
// Browsers can refuse the storage to pages. The session then lasts as long as the page.
let page = { __proto__: null };

// Returns the key, or null.
export function currentKey() {
  return read(KEY);
}

// Returns the client of the key, or null.
export function client() {
  const text = read(CLIENT);
  return text && JSON.parse(text);
}

// Checks a key with the service, and keeps it. Returns its client; throws a Failure.
export async function signIn(text) {
  const key = text.trim();
  const id = FORM.exec(key)?.[1];
  if (!id) throw new Failure(say("service-key"));
  const isFit = (own) => own?.id === id && Array.isArray(own.scopes);
  const { document } = await ask("GET", `/api/v1/clients/${id}`, { key, isFit });
  write(KEY, key);
  write(CLIENT, JSON.stringify(document));
  return document;
}

// Forgets the key and its client.
export function forgetKey() {
  write(KEY, null);
  write(CLIENT, null);
}

// Forgets all that this tab holds.
export function signOut() {
  page = { __proto__: null };
  try {
    sessionStorage.clear();
  } catch {
    // There is no storage.
  }
}

// Keeps a value for another page of this tab, such as a selection of records. It may be lost; it is no secret.
export function store(name, value) {
  write(HANDED + name, JSON.stringify(value));
}

// Returns the value that a page of this tab kept under this name, or null.
export function stored(name) {
  const text = read(HANDED + name);
  return text && JSON.parse(text);
}

export function isAdmin() {
  return client()?.scopes.includes(ADMIN) ?? false;
}

// Returns whether a scope grants the verb (mint, update) on a prefix, as coolid/model/clients.py does.
export function may(verb, prefix) {
  return (client()?.scopes ?? []).some((scope) => {
    const [granted, stem] = parts(scope);
    return scope === ADMIN || (granted === verb && (prefix === stem || /^[/:]/.test(below(prefix, stem))));
  });
}

function parts(scope) {
  const colon = scope.indexOf(":");
  return colon < 0 ? [scope, ""] : [scope.slice(0, colon), scope.slice(colon + 1)];
}

function below(prefix, stem) {
  return prefix.startsWith(stem) ? prefix.slice(stem.length) : "";
}

function read(name) {
  try {
    return page[name] ?? sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name, text) {
  page[name] = text;
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // The session lasts as long as the page.
  }
}
