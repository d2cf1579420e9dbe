// Health: the addresses that are dead, unstable or moved, with evidence, checks on request, and the new addresses of
// moved ones. The filters are in the fragment of the URL (growing-list.js).
import { base, say } from "../words.js";
import { call, loadRecord, recordPath } from "./api.js";
import { checkNow, evidence, stateOf } from "./checks.js";
import { busy, confirmed, counted, element, notify, notifyFailure, table } from "./dom.js";
import { start } from "./gate.js";
import { fragmentState, goTo, GrowingList } from "./growing-list.js";
import { ownNamespaces, writableSpelling } from "./namespaces.js";
import { may } from "./session.js";

const FILTERS = ["prefix", "state"];
const LINKS = "/api/v1/links/";
const part = (id) => document.getElementById(id);
const form = part("filters");
const more = part("more-links");
const selected = new Map(); // moved links by PID and address
const list = new GrowingList({ request, name: "links", show, status: part("links-message"), sentence: say("links-busy") });
let namespaces = [];

start(async () => {
  part("check-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("check-button"), checkOne);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    goTo(Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value])), again);
  });
  more.addEventListener("click", () => busy(more, () => list.load()));
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
  const { prefix = namespaces[0].prefix, ...others } = fragmentState();
  return { prefix, state: others.state ?? "" };
}

async function again() {
  selected.clear();
  for (const name of FILTERS) form.elements[name].value = state()[name];
  await list.begin();
}

function request() {
  const { prefix, state: wanted } = state();
  return [LINKS + prefix.split("/").map(encodeURIComponent).join("/"), { state: wanted }];
}

function show() {
  const { rows, cursor } = list;
  const columns = [
    ...(rows.some(canAccept) ? [{ label: say("links-select-head"), cell: box }] : []),
    { label: say("links-pid"), header: true, cell: name },
    { label: say("links-state"), cell: (link) => [element("strong", {}, stateOf(link)), ...evidence(link)] },
    { label: say("links-actions"), cell: actions },
  ];
  const shown = rows.length ? [table({ caption: say("links-caption"), columns, rows, class: "stacked links" })] : [];
  part("links-list").replaceChildren(...shown);
  more.hidden = !cursor;
  const none = say(cursor ? "links-none-yet" : "links-none");
  notify(part("links-message"), "soft", rows.length ? counted(rows.length, "links-one", "links-many") : none);
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
    const { checks, isDone } = await checkNow(writableSpelling(link.pid, namespaces));
    const current = checks.find(({ uri }) => uri === link.uri);
    if (!isDone || !current) return notify(message, "", say(isDone ? "links-gone" : "links-late"));
    list.rows = list.rows.map((each) => (each === link ? { ...link, ...current } : each));
    show();
    const sentence = say("links-now", { pid: link.pid, state: stateOf(current) });
    notify(part("links-message"), current.state === "up" ? "good" : "soft", sentence);
  } catch (wrong) {
    notifyFailure(message, wrong);
  }
}

// Asks once, and then replaces the address in the current version of the record.
async function acceptOne(link, message) {
  const content = [element("p", {}, say("links-accept-why")), comparison([link])];
  const question = { title: say("links-accept-title"), content, yes: say("links-accept"), no: say("links-cancel") };
  if (!(await confirmed(question))) return;
  try {
    const path = recordPath(writableSpelling(link.pid, namespaces));
    const { record, tag } = await loadRecord(path);
    if (!record.records.some(({ uri }) => uri === link.uri)) return notify(message, "", say("links-gone"));
    const records = record.records.map((each) => (each.uri === link.uri ? { ...each, uri: link.moved } : each));
    await call("PATCH", path, { body: { records }, tag, headers: { "Content-Type": "application/merge-patch+json" } });
    list.rows = list.rows.filter((each) => each !== link);
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
  const rows = [...selected.values()].map(({ pid, moved }) => `${JSON.stringify({ pid: writableSpelling(pid, namespaces), uri: moved })}\n`);
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
