// The editor of one record, whose PID is in the fragment of the URL: /pages/manage/record#PID.
//
// The form and the actions load when they are needed.
import { base, say } from "../words.js";
import { call, Failure, failureOf, loadRecord, recordPath } from "./api.js";
import { custodyOf } from "./changes.js";
import { busy, definitions, element, notify, notifyFailure, time } from "./dom.js";
import { start } from "./gate.js";
import { ownNamespaces, writableSpelling } from "./namespaces.js";
import { localAddress, summary, title } from "./record-summary.js";
import { may, store } from "./session.js";

const part = (id) => document.getElementById(id);
let path = ""; // of the record in the API
let opened = null; // {record, tag}: what the form was made from
let form = null;
let mayChange = false;
let domains = []; // the hosts that the repository allows

start(async () => {
  part("open-form").addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = part("open-pid").value.trim();
  });
  part("edit-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("save"), save);
  });
  part("discard").addEventListener("click", () => busy(part("discard"), () => show(opened)));
  part("publish").addEventListener("click", () => act(part("publish"), "publish", say("record-published")));
  part("withdraw").addEventListener("click", () => act(part("withdraw"), "withdraw", say("record-withdrawn")));
  part("history-open").addEventListener("click", () => busy(part("history-open"), showHistory));
  part("label").addEventListener("click", label);
  window.addEventListener("hashchange", () => location.reload());
  window.addEventListener("beforeunload", (event) => form?.isChanged() && event.preventDefault());
  await open();
});

async function open() {
  const pid = location.hash.slice(1);
  part("open-form").hidden = Boolean(pid);
  if (!pid) return;
  notify(part("record-message"), "soft", say("record-busy"));
  try {
    const namespaces = await ownNamespaces();
    path = recordPath(writableSpelling(pid, namespaces));
    const found = await loadRecord(path);
    const own = namespaces.filter(({ repository }) => repository === found.record.repository);
    if (!own.length) throw new Failure(say("record-foreign", { pid: found.record.pid }));
    mayChange = own.some(({ prefix }) => may("update", prefix));
    domains = await domainsOf(found.record.repository);
    await show(found);
    notify(part("record-message"), "soft", mayChange ? lockOf(found.record) : say("record-read-only"));
  } catch (wrong) {
    part("open-form").hidden = false;
    part("open-pid").value = pid;
    notifyFailure(part("record-message"), wrong);
  }
}

// Without the repository, the API alone checks the hosts of targets.
async function domainsOf(repository) {
  try {
    const { document } = await call("GET", `/api/v1/repositories/${encodeURIComponent(repository)}`);
    return Array.isArray(document?.domains) ? document.domains : [];
  } catch (wrong) {
    failureOf(wrong);
    return [];
  }
}

// Shows a version of the record, with a new form.
async function show(found) {
  const { recordForm } = await import("./record-form.js");
  opened = found;
  const { record } = found;
  const isFixed = !mayChange || record.status === "withdrawn" || Boolean(lockOf(record));
  part("record").hidden = false;
  part("record-title").textContent = title(record) || say("records-untitled");
  part("record-facts").replaceChildren(...facts(record));
  part("publish").hidden = isFixed || record.status !== "reserved";
  part("withdraw").hidden = isFixed;
  part("edit-form").hidden = isFixed;
  part("history").replaceChildren();
  showCitation(record);
  form = isFixed ? null : recordForm(record, domains);
  part("fields").replaceChildren(...(form ? [form.node] : []));
  notify(part("save-message"), "", "");
}

// Returns why the custody of the record permits no change, or an empty text.
function lockOf(record) {
  const { offer, transfers = [] } = custodyOf(record) ?? {};
  const { pid, issuer } = record;
  if (offer) return say("record-offered", { to: offer.to, date: offer.at.slice(0, 10), pid });
  const last = transfers.at(-1);
  return last?.from === issuer ? say("record-transferred", { to: last.to, date: last.at.slice(0, 10) }) : "";
}

function facts({ pid, status, version, created, updated, withdrawn }) {
  const address = status === "reserved" ? pid : element("a", { href: `${pid}?format=html` }, pid);
  const rows = [
    [say("record-pid"), address],
    [say("records-status"), say(`status-${status}`)],
    [say("record-reason"), withdrawn?.reason],
    [say("record-successor"), withdrawn?.successor],
    [say("record-version"), String(version)],
    [say("record-created"), time(created)],
    [say("records-updated"), time(updated)],
  ];
  return definitions(rows);
}

// Shows the QR code and the citation of a public record.
async function showCitation(record) {
  part("share").hidden = record.status !== "active";
  if (record.status !== "active") return;
  const image = element("img", { class: "qr", width: "200", height: "200", alt: say("record-qr", { pid: record.pid }) });
  image.src = `${localAddress(record)}?format=qr`;
  part("qr").replaceChildren(image);
  part("citation").textContent = "";
  const answer = await fetch(`${localAddress(record)}?format=citation`, { credentials: "omit", cache: "no-store" }).catch(() => null);
  if (answer?.ok) part("citation").textContent = (await answer.text()).trim();
}

async function save() {
  const message = part("save-message");
  notify(message, "", "");
  const content = form.content(); // puts the pointers at the fields
  if (!form.isValid()) return notify(message, "bad", say("record-invalid"));
  if (!form.isChanged()) return notify(message, "", say("record-unchanged"));
  try {
    const { saveContent } = await import("./record-save.js");
    const saved = await saveContent(path, opened, content);
    if (!saved) return notify(message, "", say("record-unsaved"));
    await show(saved);
    notify(message, "good", say("record-saved", { version: saved.record.version }));
  } catch (wrong) {
    notifyFailure(message, wrong, form.node);
  }
}

// Runs an action of record-actions.js on the whole record, unless something is typed and not saved.
function act(button, name, sentence, ...more) {
  return busy(button, async () => {
    const message = part("record-message");
    if (form?.isChanged()) return notify(message, "bad", say("record-first-save"));
    try {
      const actions = await import("./record-actions.js");
      const changed = await actions[name](path, opened, ...more);
      if (!changed) return;
      await show(changed);
      notify(message, "good", sentence);
      part("record-title").focus();
    } catch (wrong) {
      notifyFailure(message, wrong);
    }
  });
}

async function showHistory() {
  try {
    const { historyView } = await import("./record-actions.js");
    const restore = (button, version) => act(button, "restore", say("record-restored", { version: version.version }), version);
    const view = await historyView(path, form && restore);
    part("history").replaceChildren(view);
    part("history-heading").focus();
  } catch (wrong) {
    notifyFailure(part("record-message"), wrong);
  }
}

function label() {
  store("selection", [summary(opened.record)]);
  location.assign(`${base}/pages/manage/labels`);
}
