// The bulk page: an operation, a file and the fields of its columns become a job, which the service checks first. The
// page of the job shows what it found, and runs it. What reads and sends files is loaded when it is needed.
import { base, say } from "../words.js";
import { Failure } from "./api.js";
import { busy, element, notify, notifyFailure } from "./dom.js";
import { start } from "./gate.js";
import { ownNamespaces } from "./namespaces.js";
import { isAdmin, stored } from "./session.js";

const MOVE = "move"; // retarget by a rule, without a file
const PREFIXED = ["mint", "reserve", MOVE];
const RULES = { __proto__: null, prefix: ["from", "to"], pattern: ["pattern", "replacement"] };
const part = (id) => document.getElementById(id);
const form = part("bulk-form");
const status = part("bulk-message");
let table = null; // what `readFile` returned
let aborter = null; // while a file is sent
let shown = Promise.resolve(); // settled when the page shows the columns of the chosen file

start(async () => {
  form.addEventListener("change", arrange);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("check-button"), send);
  });
  part("file").addEventListener("change", () => (shown = take()));
  part("encoding").addEventListener("change", () => (shown = take(part("encoding").value)));
  for (const each of form.elements.operation) each.addEventListener("change", () => (shown = showTable()));
  part("template").addEventListener("click", async () => (await import("./table-templates.js")).saveTemplate(operation()));
  part("stop-upload").addEventListener("click", () => aborter?.abort());
  window.addEventListener("beforeunload", (event) => aborter && event.preventDefault());
  receiveDrops(part("drop"));
  if (location.hash === "#selection") await offerSelection(stored("selection") ?? []);
  else if (location.hash) form.elements.operation.value = location.hash.slice(1);
  shown = take(); // browsers keep the chosen file when the page is loaded again
  try {
    offerPrefixes(await ownNamespaces());
  } catch (wrong) {
    notifyFailure(status, wrong);
  }
});

function offerPrefixes(namespaces) {
  const options = namespaces.map(({ prefix, title }) => {
    return element("option", { value: prefix }, title ? say("prefix-title", { prefix, title }) : prefix);
  });
  form.elements.prefix.append(...options);
  if (!options.length) notify(status, "bad", say(isAdmin() ? "bulk-first-prefix" : "bulk-not-permitted"));
  if (options.length === 1) form.elements.prefix.value = namespaces[0].prefix;
}

// Makes a table of the records that the reader selected in the list.
async function offerSelection(records) {
  if (!records.length) return;
  const { written } = await import("./csv.js");
  const rows = [["pid", "what"], ...records.map(({ pid, title }) => [pid, title])];
  const chosen = new DataTransfer();
  chosen.items.add(new File(rows.map((row) => written(row)), "selection.csv"));
  part("file").files = chosen.files;
  form.elements.operation.value = "withdraw";
}

function receiveDrops(area) {
  // A file that is dropped beside the area would otherwise replace the page.
  for (const type of ["dragover", "drop"]) window.addEventListener(type, (event) => event.preventDefault());
  area.addEventListener("dragover", () => area.classList.add("over"));
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", ({ dataTransfer }) => {
    area.classList.remove("over");
    if (!dataTransfer.files.length) return;
    part("file").files = dataTransfer.files;
    shown = take();
  });
}

async function take(encoding) {
  const file = part("file").files[0];
  if (!file && !table) return arrange();
  const { readFile } = await import("./file-choice.js");
  const read = await readFile(file, encoding);
  if (read === undefined) return undefined;
  table = read;
  return await showTable();
}

function operation() {
  return form.elements.operation.value;
}

// Shows the parts that the operation needs.
function arrange() {
  const isMove = operation() === MOVE;
  const kind = form.elements["rule-kind"].value;
  part("file-part").hidden = isMove;
  part("rule-part").hidden = !isMove;
  for (const each of Object.keys(RULES)) part(`rule-${each}`).hidden = each !== kind;
  part("prefix-part").hidden = !PREFIXED.includes(operation());
  part("prefix-help").textContent = say(isMove ? "prefix-help-move" : "prefix-help");
  part("reason-part").hidden = operation() !== "withdraw";
  part("columns-part").hidden = isMove || !table;
}

async function showTable() {
  notify(status, "", "");
  arrange();
  if (!table || operation() === MOVE) return;
  const { showColumns } = await import("./column-choice.js");
  showColumns(part("columns"), operation(), table, () => notify(status, "", ""));
}

async function send() {
  await shown; // the button can be pressed before
  notify(status, "soft", say("bulk-busy"));
  aborter = new AbortController();
  try {
    const { startJob, MAX_BYTES } = await import("./uploads.js");
    const { job, file } = await (operation() === MOVE ? ruleJob() : tableJob());
    if (file?.size > MAX_BYTES) throw new Failure(say("file-large"));
    part("upload").hidden = !file;
    const onProgress = (sent) => (part("upload-progress").value = sent);
    const { id } = await startJob({ ...job, dry_run: true }, file, { onProgress, signal: aborter.signal });
    aborter = null;
    location.assign(`${base}/pages/manage/job#${encodeURIComponent(id)}`);
  } catch (wrong) {
    report(wrong);
  } finally {
    aborter = null;
    part("upload").hidden = true;
  }
}

function report(wrong) {
  if (wrong.name === "AbortError") notify(status, "soft", say("bulk-stopped"));
  else if (wrong instanceof DOMException) notify(status, "bad", say("file-unreadable"));
  else if (wrong.wrongs) notify(status, "bad", wrong.sentence, wrong.wrongs);
  else notifyFailure(status, wrong, form);
}

function refuse(wrongs) {
  if (wrongs.length) throw Object.assign(new Failure(say("bulk-look")), { wrongs });
}

function text(name) {
  return form.elements[name].value.trim();
}

function ruleJob() {
  const names = RULES[form.elements["rule-kind"].value];
  const wrongs = [names[0], ...(names.includes("to") ? ["to"] : []), "prefix"].filter((name) => !text(name));
  refuse(wrongs.map((name) => say(`rule-no-${name}`)));
  const rule = Object.fromEntries(names.map((name) => [name, text(name)]));
  return { job: { operation: "retarget", prefix: text("prefix"), rule }, file: null };
}

async function tableJob() {
  if (!table) refuse([say("bulk-no-file")]);
  const [{ convert }, { chosenFields, keepChoice }] = await Promise.all([import("./file-choice.js"), import("./column-choice.js")]);
  const named = operation();
  const reason = named === "withdraw" ? text("reason") : "";
  const { fields, wrongs } = chosenFields(named, reason ? ["reason"] : []);
  const prefix = (PREFIXED.includes(named) && text("prefix")) || undefined;
  if (PREFIXED.includes(named) && !prefix && !fields.includes("prefix")) wrongs.push(say("bulk-no-prefix"));
  refuse(wrongs);
  keepChoice(named, table.header);
  const { columns, file } = await convert(table, fields, reason && !fields.includes("reason") ? { reason } : {});
  return { job: { operation: named, prefix, columns }, file };
}
