// Health: the addresses that are dead, unstable or moved, with evidence, checks on request, and the new addresses of
// moved ones. The filters are in the fragment of the URL: #prefix=mp&state=moved.
import { opening } from "../prefixes.js";
import { base, say } from "../words.js";
import { call, listPath, loadRecord, page, recordPath } from "./api.js";
import { checkNow, evidence, stateOf } from "./checks.js";
import { busy, choose, counted, element, notify, notifyFailure, table } from "./dom.js";
import { start } from "./gate.js";
import { ownNamespaces } from "./namespaces.js";
import { may } from "./session.js";

const FILTERS = ["prefix", "state"];
const LINKS = "/api/v1/links/";
const part = (id) => document.getElementById(id);
const form = part("filters");
const more = part("more-links");
const selected = new Map(); // moved links by PID and address
let namespaces = [];
let shown = [];
let cursor = null;
let latest = 0; // the number of the last list; answers to others are dropped

start(async () => {
  part("check-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("check-button"), checkOne);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value])));
  });
  more.addEventListener("click", () => busy(more, load));
  part("accept-many").addEventListener("click", () => busy(part("accept-many"), acceptMany));
  part("select-none").addEventListener("click", () => selectNone());
  window.addEventListener("hashchange", again);
  try {
    namespaces = await ownNamespaces();
    form.elements.prefix.replaceChildren(...namespaces.map(({ prefix }) => element("option", { value: prefix }, prefix)));
    if (!namespaces.length) return notify(part("links-message"), "", say("links-no-prefix"));
  } catch (wrong) {
    return notifyFailure(part("links-message"), wrong);
  }
  await again();
});

function state() {
  const { prefix = namespaces[0].prefix, ...others } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { prefix, state: others.state ?? "" };
}

function go(wanted) {
  const fragment = listPath("", wanted).slice(1);
  if (fragment === location.hash.slice(1)) again();
  else location.hash = fragment;
}

async function again() {
  [shown, cursor] = [[], null];
  selected.clear();
  for (const name of FILTERS) form.elements[name].value = state()[name];
  await load();
}

async function load() {
  const number = ++latest;
  const wanted = state();
  notify(part("links-message"), "soft", say("links-busy"));
  try {
    const path = LINKS + wanted.prefix.split("/").map(encodeURIComponent).join("/");
    const { members, next } = await page(listPath(path, { state: wanted.state, limit: 50, cursor }), "links");
    if (number !== latest) return;
    shown = [...shown, ...members];
    cursor = next;
    show();
  } catch (wrong) {
    if (number !== latest) return;
    if (!shown.length) show();
    notifyFailure(part("links-message"), wrong);
  }
}

function show() {
  const columns = [
    ...(shown.some(canAccept) ? [{ label: say("links-select-head"), cell: box }] : []),
    { label: say("links-pid"), header: true, cell: name },
    { label: say("links-state"), cell: (link) => [element("strong", {}, stateOf(link)), ...evidence(link)] },
    { label: say("links-actions"), cell: actions },
  ];
  const list = table({ caption: say("links-caption"), columns, rows: shown, class: "stacked links" });
  part("links-list").replaceChildren(...(shown.length ? [list] : []));
  more.hidden = !cursor;
  const none = say(cursor ? "links-none-yet" : "links-none");
  notify(part("links-message"), "soft", shown.length ? counted(shown.length, "links-one", "links-many") : none);
  countSelected();
}

const nameOf = (link) => `${link.pid} ${link.uri}`;
const canAccept = ({ moved }) => Boolean(moved) && may("update", state().prefix);

function name({ pid, uri, moved }) {
  const link = element("a", { href: `${base}/pages/manage/record#${pid}` }, element("bdi", { class: "pid" }, pid));
  const target = element("span", { class: "fact" }, `${say("links-uri")}: `, element("bdi", {}, uri));
  return [link, target, moved && element("span", { class: "fact" }, `${say("links-moved")}: `, element("bdi", {}, moved))].filter(Boolean);
}

function box(link) {
  if (!canAccept(link)) return "";
  const onchange = ({ target }) => {
    if (target.checked) selected.set(nameOf(link), link);
    else selected.delete(nameOf(link));
    countSelected();
  };
  const label = say("links-select", { pid: link.pid });
  return element("input", { type: "checkbox", "aria-label": label, checked: selected.has(nameOf(link)), onchange });
}

function actions(link) {
  const message = element("span", { role: "status" });
  const check = ({ currentTarget }) => busy(currentTarget, () => checkRow(link, message));
  const accept = ({ currentTarget }) => busy(currentTarget, () => acceptOne(link, message));
  const button = (text, onclick) => element("button", { type: "button", class: "quiet", onclick, "aria-label": `${text}: ${link.pid}` }, text);
  return [
    may("update", state().prefix) && button(say("links-check"), check),
    canAccept(link) && button(say("links-accept"), accept),
    message,
  ].filter(Boolean);
}

function selectNone() {
  selected.clear();
  for (const each of part("links-list").querySelectorAll("input")) each.checked = false;
  countSelected();
}

function countSelected() {
  part("selection").hidden = !selected.size;
  part("selection-count").textContent = selected.size ? counted(selected.size, "links-selected-one", "links-selected-many") : "";
}

// Replaces the link by its new state, or removes it from the list when it works.
async function checkRow(link, message) {
  notify(message, "soft", say("links-checking"));
  try {
    const { checks, isDone } = await checkNow(spelled(link.pid));
    const current = checks.find(({ uri }) => uri === link.uri);
    if (!isDone || !current) return notify(message, "", say(isDone ? "links-gone" : "links-late"));
    shown = shown.map((each) => (each === link ? { ...link, ...current } : each));
    show();
    const sentence = say("links-now", { pid: link.pid, state: stateOf(current) });
    notify(part("links-message"), current.state === "up" ? "good" : "soft", sentence);
  } catch (wrong) {
    notifyFailure(message, wrong);
  }
}

// Returns a PID under the prefix of the list, because the scopes of the key may name this one of several prefixes only.
function spelled(pid) {
  const { prefix, canonical } = namespaces.find((each) => each.prefix === state().prefix) ?? {};
  const start = `${base}/${opening(canonical ?? "")}`;
  return canonical && canonical !== prefix && pid.startsWith(start) ? opening(prefix) + pid.slice(start.length) : pid;
}

// Asks once, and then replaces the address in the current version of the record.
async function acceptOne(link, message) {
  const content = [element("p", {}, say("links-accept-why")), comparison([link])];
  const chosen = await choose({
    title: say("links-accept-title"),
    content,
    actions: [{ label: say("links-accept"), value: "yes" }, { label: say("links-cancel"), value: "", quiet: true }],
  });
  if (!chosen) return;
  try {
    const path = recordPath(spelled(link.pid));
    const { record, tag } = await loadRecord(path);
    if (!record.records.some(({ uri }) => uri === link.uri)) return notify(message, "", say("links-gone"));
    const records = record.records.map((each) => (each.uri === link.uri ? { ...each, uri: link.moved } : each));
    await call("PATCH", path, { body: { records }, tag, headers: { "Content-Type": "application/merge-patch+json" } });
    shown = shown.filter((each) => each !== link);
    selected.delete(nameOf(link));
    show();
    notify(part("links-message"), "good", say("links-accepted", { pid: link.pid }));
  } catch (wrong) {
    notifyFailure(message, wrong);
  }
}

function comparison(links) {
  const lines = links.map(({ uri, moved }) => element("li", {}, element("del", {}, uri), " ", element("ins", {}, moved)));
  return element("ul", { class: "value" }, ...lines);
}

// Makes a job that the service checks first; its page shows the result and asks for the confirmation.
async function acceptMany() {
  const { startJob } = await import("./uploads.js");
  const rows = [...selected.values()].map(({ pid, moved }) => `${JSON.stringify({ pid: spelled(pid), uri: moved })}\n`);
  const request = { operation: "retarget", prefix: state().prefix, dry_run: true };
  try {
    const file = new Blob(rows, { type: "application/x-ndjson" });
    const job = await startJob(request, file, { onProgress: () => undefined, signal: new AbortController().signal });
    location.assign(`${base}/pages/manage/job#${encodeURIComponent(job.id)}`);
  } catch (wrong) {
    notifyFailure(part("links-message"), wrong);
  }
}

async function checkOne() {
  const message = part("check-message");
  part("check-wrong").textContent = "";
  part("check-pid").removeAttribute("aria-invalid");
  part("check-result").replaceChildren();
  notify(message, "soft", say("links-checking"));
  try {
    const { checks, isDone } = await checkNow(part("check-pid").value.trim());
    notify(message, isDone ? "good" : "", say(isDone ? "links-done" : "links-late"));
    const columns = [
      { label: say("links-uri"), header: true, cell: ({ uri, moved }) => [element("bdi", { class: "pid" }, uri), moved && element("span", { class: "fact" }, `${say("links-moved")}: `, moved)].filter(Boolean) },
      { label: say("links-state"), cell: (each) => [element("strong", {}, stateOf(each)), ...evidence(each)] },
    ];
    part("check-result").replaceChildren(table({ caption: say("links-check-caption"), columns, rows: checks, class: "stacked links" }));
  } catch (wrong) {
    notify(message, "", "");
    part("check-wrong").textContent = wrong.sentence ?? "";
    part("check-pid").setAttribute("aria-invalid", "true");
    if (!wrong.sentence) throw wrong;
  }
}
