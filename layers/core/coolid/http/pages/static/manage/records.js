// My identifiers: a table with filters, pages, a selection, and its export.
//
// The state of the list is in the fragment of the URL: #q=tide&status=active&cursor=… (growing-list.js).
import { base, say } from "../words.js";
import { listPath, members, page } from "./api.js";
import { busy, counted, element, notify, notifyFailure, saveFile, table, time } from "./dom.js";
import { start } from "./gate.js";
import { fragmentState as state, goTo } from "./growing-list.js";
import { ownNamespaces } from "./namespaces.js";
import { summary, targetHost, title, toCsv } from "./record-summary.js";
import { store } from "./session.js";

const RECORDS = "/api/v1/records";
const MANAGE = `${base}/pages/manage/`;
const PAGE = 50;
const FILTERS = ["q", "prefix", "status", "health", "target_host", "updated_after"];
const part = (id) => document.getElementById(id);
const form = part("filters");
const selected = new Map(); // records by PID
let latest = 0; // the number of the last request; answers to others are dropped
let found = []; // the records of this page
let health = {}; // their states by PID
let next = null; // the cursor of the next page
const trail = []; // the cursors of the pages before this one

start(async () => {
  try {
    await offerPrefixes();
  } catch (wrong) {
    return notifyFailure(part("records-message"), wrong);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go({ ...filled(), sort: state().sort });
  });
  part("filter-clear").addEventListener("click", () => go({}));
  part("page-on").addEventListener("click", () => {
    trail.push(state().cursor);
    go({ ...state(), cursor: next });
  });
  part("page-back").addEventListener("click", () => go({ ...state(), cursor: trail.pop() }));
  part("select-none").addEventListener("click", () => select([...selected.values()], false));
  part("select-labels").addEventListener("click", () => leave("labels"));
  part("select-bulk").addEventListener("click", () => leave("bulk#selection"));
  part("select-export").addEventListener("click", () => download([...selected.values()]));
  part("select-bulk").hidden = !document.querySelector('#manage-bar a[href$="/pages/manage/bulk"]');
  window.addEventListener("hashchange", load);
  await load();
});

async function offerPrefixes() {
  const own = await ownNamespaces();
  const options = own.map(({ prefix, title: name }) => {
    return element("option", { value: prefix }, name ? say("prefix-title", { prefix, title: name }) : prefix);
  });
  part("filter-prefix").replaceChildren(element("option", { value: "" }, say("prefix-all")), ...options);
}

function filled() {
  return Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value.trim()]));
}

function go(wanted) {
  goTo(wanted, load);
}

// Returns the parameters of the API for the state of the list.
function parameters() {
  const { updated_after: day, sort = "-updated", ...others } = state();
  return { ...others, sort: sort || "-updated", updated_after: day && `${day}T00:00:00Z` };
}

async function load() {
  const number = ++latest;
  const { cursor, ...wanted } = state();
  for (const name of FILTERS) form.elements[name].value = wanted[name] ?? "";
  part("records-list").setAttribute("aria-busy", "true");
  notify(part("records-message"), "soft", say("records-busy"));
  try {
    const answer = await page(listPath(RECORDS, { ...parameters(), limit: PAGE }), "records");
    if (number !== latest) return;
    found = answer.members;
    health = answer.health;
    next = answer.next;
    show(wanted, Boolean(cursor));
  } catch (wrong) {
    if (number !== latest) return;
    part("records-list").replaceChildren();
    part("records-pages").hidden = !cursor;
    notifyFailure(part("records-message"), wrong);
  } finally {
    if (number === latest) part("records-list").removeAttribute("aria-busy");
  }
}

function show(wanted, isLater) {
  const isFiltered = FILTERS.some((name) => name !== "prefix" && wanted[name]);
  part("records-pages").hidden = !isLater && !next;
  part("page-back").hidden = !isLater;
  part("page-on").hidden = !next;
  if (!found.length) {
    part("records-list").replaceChildren();
    const why = next ? say("records-none-yet") : isFiltered ? say("records-none-match") : say("records-none");
    return notify(part("records-message"), "", why);
  }
  notify(part("records-message"), "soft", counted(found.length, "records-one", "records-many"));
  part("records-list").replaceChildren(list(wanted), everything());
  countSelected();
}

function list({ sort }) {
  const isUp = sort === "updated";
  const turn = () => go({ ...state(), cursor: "", sort: isUp ? "-updated" : "updated" });
  const hasHealth = found.some(({ pid }) => health[pid]);
  const condition = ({ pid }) => (health[pid] ? say(`health-${health[pid]}`) : "");
  const columns = [
    { label: say("records-select-all"), head: allBox(), cell: box },
    { label: say("records-title"), header: true, cell: name },
    { label: say("records-status"), cell: ({ status }) => say(`status-${status}`) },
    { label: say("records-target"), cell: ({ records }) => targetHost(records) },
    ...(hasHealth ? [{ label: say("records-health"), cell: condition }] : []),
    {
      label: say("records-updated"),
      cell: ({ updated }) => time(updated),
      sort: isUp ? "ascending" : "descending",
      onsort: turn,
    },
  ];
  return table({ caption: say("records-caption"), class: "stacked records", columns, rows: found });
}

function name(record) {
  const link = element("a", { href: `${MANAGE}record#${record.pid}` }, title(record) || say("records-untitled"));
  return [link, element("span", { class: "pid" }, record.pid)];
}

function box(record) {
  const onchange = (event) => select([record], event.target.checked);
  const label = say("records-select", { title: title(record) || record.pid });
  return element("input", { type: "checkbox", "aria-label": label, checked: selected.has(record.pid), onchange });
}

function allBox() {
  const onchange = (event) => select(found, event.target.checked);
  return element("input", { type: "checkbox", id: "select-all", "aria-label": say("records-select-all"), onchange });
}

function select(records, isSelected) {
  for (const record of records) {
    if (isSelected) selected.set(record.pid, record);
    else selected.delete(record.pid);
  }
  const boxes = document.querySelectorAll("#records-list tbody input");
  boxes.forEach((each, at) => (each.checked = selected.has(found[at].pid)));
  countSelected();
}

function countSelected() {
  const count = found.filter(({ pid }) => selected.has(pid)).length;
  const all = part("select-all");
  if (all) Object.assign(all, { checked: count === found.length, indeterminate: count > 0 && count < found.length });
  part("selection").hidden = !selected.size;
  part("selection-count").textContent = selected.size ? counted(selected.size, "selected-one", "selected-many") : "";
}

// Hands the selection to another page of this tab.
function leave(where) {
  store("selection", [...selected.values()].map(summary));
  location.assign(MANAGE + where);
}

function everything() {
  const onclick = ({ currentTarget }) => busy(currentTarget, downloadAll);
  return element("p", {}, element("button", { type: "button", class: "quiet", onclick }, say("records-export")));
}

// Downloads all records that match, page after page, until the reader leaves or an error occurs.
async function downloadAll() {
  const records = [];
  try {
    for await (const record of members(RECORDS, { ...parameters(), limit: 500 }, "records")) {
      records.push(record);
      if (records.length % 500 === 0) notify(part("records-message"), "soft", say("records-exporting", { number: records.length }));
    }
    download(records);
    notify(part("records-message"), "good", counted(records.length, "records-exported-one", "records-exported-many"));
  } catch (wrong) {
    notifyFailure(part("records-message"), wrong);
  }
}

function download(records) {
  saveFile("identifiers.csv", new Blob([toCsv(records)], { type: "text/csv;charset=utf-8" }));
}
