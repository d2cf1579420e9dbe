// Changes between versions of a record's content {records, metadata, alternates, status, ttl}: differences, a merge of two
// changes of one version, and the smallest request that makes a change. No function here uses the document.
//
// Content has parts, by JSON pointer: each member of the metadata, each member of a location, `/alternates`, `/status`
// and `/ttl`. If versions have different numbers of locations, all locations together are one part, `/records`.
const MEMBERS = ["records", "metadata", "alternates", "status", "ttl"];

// Returns the content of a record: the members that its owners set. The service alone writes what the metadata says of custody,
// and keeps it.
export function contentOf(record) {
  const content = Object.fromEntries(MEMBERS.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));
  if (!custodyOf(record)) return content;
  const { linkid, ...metadata } = content.metadata;
  return { ...content, metadata };
}

// Returns what a version says of its custody (coolid/model/custody.py), or undefined.
export function custodyOf({ metadata }) {
  const found = metadata?.linkid;
  return isObject(found) && (found.offer || found.transfers || found.state) ? found : undefined;
}

// Returns whether two JSON values are equal; the order of members does not matter.
export function isEqual(one, other) {
  return stable(one) === stable(other);
}

function stable(value) {
  return JSON.stringify(value, (_, each) => {
    if (each === null || typeof each !== "object" || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([name], [next]) => (name < next ? -1 : 1)));
  });
}

// Returns the parts that differ: [{pointer, before, after}]; what is missing is undefined.
export function differences(before, after) {
  const [old, now] = partsOf([before, after]);
  const pointers = [...new Set([...old.keys(), ...now.keys()])];
  const pairs = pointers.map((pointer) => ({ pointer, before: old.get(pointer), after: now.get(pointer) }));
  return pairs.filter((pair) => !isEqual(pair.before, pair.after));
}

// Merges two changes of one content. Returns {content, conflicts, taken}: `conflicts` are the parts that both changed
// differently, [{pointer, base, mine, theirs}], of which `content` has mine; `taken` are those that only they changed.
export function merge(base, mine, theirs) {
  const [old, own, other] = partsOf([base, mine, theirs]);
  const merged = new Map(own);
  const conflicts = [];
  const taken = [];
  for (const pointer of new Set([...old.keys(), ...own.keys(), ...other.keys()])) {
    const part = { pointer, base: old.get(pointer), mine: own.get(pointer), theirs: other.get(pointer) };
    if (isEqual(part.mine, part.theirs) || isEqual(part.base, part.theirs)) continue;
    if (!isEqual(part.base, part.mine)) conflicts.push(part);
    else {
      taken.push(part);
      put(merged, pointer, part.theirs);
    }
  }
  return { content: contentFrom(merged), conflicts, taken };
}

// Returns content with other values for some parts of a merge: [[pointer, value]].
export function withParts(base, mine, theirs, content, values) {
  const [, , , parts] = partsOf([base, mine, theirs, content]);
  for (const [pointer, value] of values) put(parts, pointer, value);
  return contentFrom(parts);
}

// Returns the request that changes content: {method, body}. It is a merge patch (RFC 7396) with only what differs, so that
// all other members stay as they are stored. A patch cannot set a member to null; then the whole content is sent.
export function changeRequest(before, after) {
  const patch = patchOf(before, after);
  const isExact = isEqual(patched(before, patch), after);
  return isExact ? { method: "PATCH", body: patch } : { method: "PUT", body: after };
}

function patchOf(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isEqual(own(before, name), own(after, name)));
  return Object.fromEntries(changed.map((name) => {
    const [old, now] = [own(before, name), own(after, name)];
    if (now === undefined) return [name, null];
    return [name, isObject(old) && isObject(now) ? patchOf(old, now) : now];
  }));
}

// Returns the content after a merge patch, as the service applies it.
function patched(target, patch) {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else define(result, name, patched(own(result, name), value));
  }
  return result;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

// Returns the parts of several contents, cut alike: a Map of values by pointer for each.
function partsOf(contents) {
  const isAligned = new Set(contents.map(({ records = [] }) => records.length)).size === 1;
  return contents.map((content) => {
    const { records = [], metadata = {}, alternates = [], status, ttl } = content;
    const locations = isAligned
      ? records.flatMap((location, at) => Object.entries(location).map(([name, value]) => [`/records/${at}/${escaped(name)}`, value]))
      : [["/records", records]];
    const described = Object.entries(metadata).map(([name, value]) => [`/metadata/${escaped(name)}`, value]);
    const others = [["/alternates", alternates], ["/status", status], ["/ttl", ttl]];
    return new Map([...locations, ...described, ...others.filter(([, value]) => value !== undefined)]);
  });
}

function contentFrom(parts) {
  const content = { records: parts.get("/records") ?? [], metadata: {}, alternates: parts.get("/alternates") ?? [] };
  for (const name of ["status", "ttl"]) if (parts.has(`/${name}`)) content[name] = parts.get(`/${name}`);
  for (const [pointer, value] of parts) {
    const [, group, name, member] = pointer.split("/").map(unescaped);
    if (group === "metadata") define(content.metadata, name, value);
    if (group === "records" && member !== undefined) define((content.records[Number(name)] ??= {}), member, value);
  }
  return content;
}

// Returns a member, or undefined. Members can have any name, such as constructor and __proto__.
function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function define(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function put(parts, pointer, value) {
  if (value === undefined) parts.delete(pointer);
  else parts.set(pointer, value);
}

// Returns a name as part of a JSON pointer (RFC 6901), and back.
export function escaped(name) {
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

export function unescaped(text) {
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
