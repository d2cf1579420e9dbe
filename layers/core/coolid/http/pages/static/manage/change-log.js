// The changes of records and names, newest first. The filters are in the fragment of the URL (growing-list.js).
import { base, say } from "../words.js";
import { busy, counted, element, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";
import { fragmentState, goTo, GrowingList } from "./growing-list.js";
import { ownNamespaces } from "./namespaces.js";

const FILTERS = ["prefix", "client", "since", "until"];
const KINDS = ["minted", "reserved", "published", "changed", "withdrawn", "created", "revoked"];
const SUBJECTS = ["record", "repository", "prefix", "key"];
const MEMBERS = ["status", "withdrawn", "ttl", "metadata", "records", "alternates"];
const part = (id) => document.getElementById(id);
const form = part("filters");
const more = part("more-changes");
const list = new GrowingList({ request, name: "changes", show, status: part("changes-message"), sentence: say("log-busy") });

start(async () => {
  try {
    await offerPrefixes();
  } catch (wrong) {
    return notifyFailure(part("changes-message"), wrong);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    goTo(Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value.trim()])), again);
  });
  part("filter-clear").addEventListener("click", () => goTo({}, again));
  more.addEventListener("click", () => busy(more, () => list.load()));
  window.addEventListener("hashchange", again);
  await again();
});

async function offerPrefixes() {
  const options = (await ownNamespaces()).map(({ prefix }) => element("option", { value: prefix }, prefix));
  part("filter-prefix").replaceChildren(element("option", { value: "" }, say("prefix-all")), ...options);
}

async function again() {
  const state = fragmentState();
  for (const name of FILTERS) form.elements[name].value = state[name] ?? "";
  await list.begin();
}

function request() {
  const { prefix, client, since, until } = fragmentState();
  const period = { since: since && `${since}T00:00:00Z`, until: until && `${until}T23:59:59Z` };
  return ["/api/v1/changes", { prefix, client, ...period }];
}

function show() {
  const { rows, cursor } = list;
  const columns = [
    { label: say("log-at"), cell: ({ at }) => time(at) },
    { label: say("log-what"), header: true, cell: subject },
    { label: say("log-kind"), cell: account },
    { label: say("log-who"), cell: author },
  ];
  const shown = rows.length ? [table({ caption: say("log-caption"), columns, rows, class: "stacked log" })] : [];
  part("changes-list").replaceChildren(...shown);
  more.hidden = !cursor;
  const none = say(cursor ? "log-none-yet" : "log-none");
  notify(part("changes-message"), "soft", rows.length ? counted(rows.length, "log-one", "log-many") : none);
}

function subject(change) {
  const name = element("bdi", { class: "pid" }, change.name);
  if (change.subject !== "record") return [SUBJECTS.includes(change.subject) ? say(`log-${change.subject}`) : change.subject, name];
  const link = element("a", { href: `${base}/pages/manage/record#${change.name}` }, name);
  return [link, element("span", { class: "soft" }, say("log-version", { number: change.version }))];
}

// Returns what was done: its kind, and each difference, as far as the service lists them.
function account(change) {
  const kind = element("p", {}, KINDS.includes(change.kind) ? say(`log-kind-${change.kind}`) : change.kind);
  const lines = (change.differences ?? []).map((each) => element("li", {}, ...difference(each)));
  if (change.more) lines.push(element("li", {}, say("log-more", { number: change.more })));
  return [kind, lines.length ? element("ul", {}, ...lines) : null].filter(Boolean);
}

function difference({ member, name, was, now }) {
  const label = MEMBERS.includes(member) ? say(`log-member-${member}`) : member;
  const [old, current] = [was, now].map((each) => readable(member, each));
  const values = [was !== null && element("del", {}, old), was !== null && now !== null && " ", now !== null && element("ins", {}, current)];
  const isNamed = name !== null && member !== "records";
  return [isNamed ? `${label}, ${name}: ` : `${label}: `, ...values.filter((each) => each !== false)];
}

// Returns a value as text. Addresses and withdrawals can be objects as JSON, of which only the values are shown.
function readable(member, text) {
  if (text === null || !["records", "withdrawn"].includes(member) || !text.startsWith("{")) return text;
  try {
    const { at, ...others } = JSON.parse(text);
    return Object.values(others).map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(", ");
  } catch {
    return text; // the service cuts long texts
  }
}

function author({ client }) {
  if (!client) return "";
  return [element("code", {}, client.id), client.note ? element("span", { class: "soft" }, ` ${client.note}`) : ""];
}
