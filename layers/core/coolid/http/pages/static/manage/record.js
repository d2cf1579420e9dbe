// The editor of one record, whose PID is in the fragment of the URL: /pages/manage/record#PID.
import { base, say } from "../words.js";
import { call, failureOf, loadRecord, recordPath } from "./api.js";
import { contentOf, differences } from "./changes.js";
import { busy, element, notify, notifyFailure, time } from "./dom.js";
import { start } from "./gate.js";
import { recordForm } from "./record-form.js";
import { title } from "./record-summary.js";
import { keep } from "./session.js";

const part = (id) => document.getElementById(id);
let path = ""; // of the record in the API
let opened = null; // {record, tag}: what the form was made from
let form = null;
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
  part("discard").addEventListener("click", () => show(opened));
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
  notify(part("record-told"), "soft", say("record-busy"));
  try {
    path = recordPath(pid);
    const found = await loadRecord(path);
    domains = await domainsOf(found.record.repository);
    notify(part("record-told"), "", "");
    show(found);
  } catch (wrong) {
    part("open-form").hidden = false;
    part("open-pid").value = pid;
    notifyFailure(part("record-told"), wrong);
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
function show(found) {
  opened = found;
  const { record } = found;
  const isWithdrawn = record.status === "withdrawn";
  part("record").hidden = false;
  part("record-title").textContent = title(record) || say("records-untitled");
  part("record-facts").replaceChildren(...facts(record));
  part("publish").hidden = record.status !== "reserved";
  part("withdraw").hidden = isWithdrawn;
  part("edit-form").hidden = isWithdrawn;
  part("history").replaceChildren();
  showCitation(record);
  form = isWithdrawn ? null : recordForm(contentOf(record), domains);
  part("fields").replaceChildren(...(form ? [form.node] : []));
  notify(part("save-told"), "", "");
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
  return rows.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
}

// Shows the QR code and the citation of a public record.
async function showCitation(record) {
  part("share").hidden = record.status !== "active";
  if (record.status !== "active") return;
  const image = element("img", { class: "qr", width: "200", height: "200", alt: say("record-qr", { pid: record.pid }) });
  image.src = `${here(record)}?format=qr`;
  part("qr").replaceChildren(image);
  part("citation").textContent = "";
  const answer = await fetch(`${here(record)}?format=citation`, { credentials: "omit", cache: "no-store" }).catch(() => null);
  if (answer?.ok) part("citation").textContent = (await answer.text()).trim();
}

// Returns the address of the record at this service, whatever its issuer.
function here({ pid, issuer }) {
  return pid.startsWith(`${issuer}/`) ? base + pid.slice(issuer.length) : pid;
}

async function save() {
  const told = part("save-told");
  notify(told, "", "");
  const content = form.content(); // puts the pointers at the fields
  if (!form.isValid()) return notify(told, "bad", say("record-invalid"));
  if (!differences(contentOf(opened.record), content).length) return notify(told, "", say("record-unchanged"));
  try {
    const { saveContent } = await import("./record-save.js");
    const saved = await saveContent(path, opened, content);
    if (!saved) return notify(told, "", say("record-unsaved"));
    show(saved);
    notify(told, "good", say("record-saved", { version: saved.record.version }));
  } catch (wrong) {
    notifyFailure(told, wrong, form.node);
  }
}

// Runs an action of record-actions.js on the whole record, unless something is typed and not saved.
function act(button, name, sentence) {
  return busy(button, async () => {
    const told = part("record-told");
    if (form?.isChanged()) return notify(told, "bad", say("record-first-save"));
    try {
      const actions = await import("./record-actions.js");
      const changed = await actions[name](path, opened);
      if (!changed) return;
      show(changed);
      notify(told, "good", sentence);
    } catch (wrong) {
      notifyFailure(told, wrong);
    }
  });
}

async function showHistory() {
  try {
    const { historyView } = await import("./record-actions.js");
    const view = await historyView(opened, opened.record.status === "withdrawn" ? null : restore);
    part("history").replaceChildren(view);
    part("history-heading").focus();
  } catch (wrong) {
    notifyFailure(part("record-told"), wrong);
  }
}

// Saves the content of an older version as a new one. The status stays: what was public cannot be reserved again.
async function restore(version) {
  const told = part("record-told");
  if (form.isChanged()) return notify(told, "bad", say("record-first-save"));
  const content = { ...contentOf(version), status: opened.record.status };
  if (!differences(contentOf(opened.record), content).length) return notify(told, "", say("record-unchanged"));
  try {
    const { saveContent } = await import("./record-save.js");
    const saved = await saveContent(path, opened, content);
    if (!saved) return;
    show(saved);
    notify(told, "good", say("record-restored", { version: version.version }));
    part("record-title").focus();
  } catch (wrong) {
    notifyFailure(told, wrong);
  }
}

function label() {
  const { record } = opened;
  keep("selection", [{ pid: record.pid, status: record.status, title: title(record), uri: record.records[0]?.uri ?? "" }]);
  location.assign(`${base}/pages/manage/labels`);
}
