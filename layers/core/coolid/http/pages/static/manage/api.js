// Requests of the management pages to the API, with the key of the session.
//
// How a page uses it: `const { document, headers } = await call("PATCH", path, { body, tag })`. All failures are a
// Failure of service.js: `sentence` is for people, `status` and `problem` for code, `violations` are [{pointer, detail}]
// for `markViolations` of dom.js. If the service refuses the key (401), the reader signs in again and the request is
// repeated: it was not carried out. `members(path, {}, "records")` reads lists by their cursors.
import { bytes } from "../dice.js";
import { ask, Failure, failureOf, isRecord } from "../service.js";
import { base, say } from "../words.js";
import { renew } from "./gate.js";
import { client, currentKey, signIn } from "./session.js";

export { Failure, failureOf, isRecord };

const RECORDS = "/api/v1/records";
const DOTS = /(^|[/\\])(\.|%2e){1,2}([/\\]|$)/i;

// Sends a request as `ask` of service.js does; `tag` is sent as If-Match.
export function call(method, path, { tag, headers = {}, ...request } = {}) {
  const conditions = tag ? { "If-Match": tag } : {};
  return withKey((key) => ask(method, path, { ...request, key, headers: { ...headers, ...conditions } }));
}

// Sends a request by `send(key)`, with the key of the session. It is repeated with another key after each Failure of 401.
export async function withKey(send) {
  for (;;) {
    const key = currentKey();
    try {
      if (key === null) throw new Failure(say("manage-expired"), 401);
      return await send(key);
    } catch (wrong) {
      if (wrong.status !== 401) throw wrong;
      // Another request may have led to a new key meanwhile.
      if (key === currentKey()) await renew();
    }
  }
}

// Checks the key of the session again. Returns its client; another one if the reader signs in anew.
export async function refresh() {
  try {
    return await signIn(currentKey());
  } catch (wrong) {
    if (wrong.status !== 401) throw wrong;
    await renew();
    return client();
  }
}

// Returns the path of a list with its parameters; those without a value are left out.
export function listPath(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query ? `${path}?${query}` : path;
}

// Returns one page of a list: {members, next, health}; `next` is the cursor of the next page, or null, and `health` are
// the states of records by their PIDs.
export async function page(path, name) {
  const isFit = (list) => Array.isArray(list?.[name]);
  const { document } = await call("GET", path, { isFit });
  return { members: document[name], next: document.next ?? null, health: document.health ?? {} };
}

// Yields the members of all pages of a list.
export async function* members(path, parameters, name) {
  let cursor;
  do {
    const { members: found, next } = await page(listPath(path, { ...parameters, cursor }), name);
    yield* found;
    cursor = next;
  } while (cursor);
}

// Returns the members of all pages of a list.
export async function allMembers(path, name) {
  const found = [];
  for await (const each of members(path, { limit: 200 }, name)) found.push(each);
  return found;
}

// Returns a new Idempotency-Key.
export function newAttempt() {
  return [...bytes(16)].map((each) => each.toString(16).padStart(2, "0")).join("");
}

// Returns the path of a record in the API. `pid` is any spelling that resolves, with or without the base URL.
export function recordPath(pid) {
  const local = pid.startsWith(`${base}/`) ? pid.slice(base.length + 1) : pid.replace(/^\/+/, "");
  // Browsers would resolve dot segments, and send a request to another path.
  if (!local || DOTS.test(local)) throw new Failure(say("manage-no-pid"));
  return `${RECORDS}/${local.replace(/[?#\\]/g, encodeURIComponent)}`;
}

// Loads a record with its entity tag: {record, tag}.
export async function loadRecord(path) {
  const { document, headers } = await call("GET", path, { isFit: isRecord });
  return { record: document, tag: headers.get("ETag") };
}
