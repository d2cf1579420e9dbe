// The upper half of the mint page: mints one record, or one for each of up to a hundred addresses, with the API key from
// the form. The key is sent only in the request.
import { checkTarget } from "./value-checks.js";
import { uuid4 } from "./schemes.js";
import { ask, Failure, failureOf, isRecord, violationsOf } from "./service.js";
import { base, say } from "./words.js";

const MOST_LINES = 100;
const form = document.getElementById("mint-form");
const button = document.getElementById("mint-button");
const status = document.getElementById("mint-message");
const result = document.getElementById("minted-result");
const list = document.getElementById("minted");
const unminted = document.getElementById("unminted");
const picture = document.getElementById("minted-qr");

// The last request and its Idempotency-Key: if it is sent again unchanged, it mints nothing twice.
let last = { text: "", name: "" };
let busy = false;

if (new URL(base).origin === location.origin) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!busy) send();
  });
  document.getElementById("mint-again").addEventListener("click", again);
  // The page of a prefix leads here with that prefix.
  form.elements.prefix.value = new URLSearchParams(location.search).get("prefix") ?? "";
  button.disabled = false;
} else {
  // Browsers let a page write only to its own origin.
  form.hidden = true;
  document.getElementById("mint-elsewhere").hidden = false;
}

async function send() {
  busy = true;
  button.setAttribute("aria-disabled", "true");
  forget();
  show("soft", say("mint-busy"));
  try {
    const lines = addresses();
    const wrong = wrongAddress(lines);
    if (wrong) return refuseAt([[form.elements.uri, wrong]], say("mint-look"));
    if (lines.length > 1) {
      const isFit = (answers) => Array.isArray(answers) && answers.length === lines.length && answers.every(isOutcome);
      showMany(lines, await minted("/api/v1/records/batch", lines.map(body), isFit));
    } else {
      showOne(await minted("/api/v1/records", body(lines[0]), isRecord));
    }
  } catch (wrong) {
    refused(failureOf(wrong));
  } finally {
    busy = false;
    button.removeAttribute("aria-disabled");
  }
}

// Returns the lines of the address field: each text, and its columns, which tabs separate as in a copied spreadsheet.
function addresses() {
  const texts = form.elements.uri.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (texts.length > MOST_LINES) throw new Failure(say("mint-too-many", { number: texts.length, most: MOST_LINES }));
  if (texts.length > 1 && text("chosen")) throw new Failure(say("mint-one-name"));
  const lines = texts.map((whole) => {
    const [uri, what, who, when] = whole.split("\t").map((column) => column.trim() || undefined);
    return { whole, uri, what, who, when };
  });
  return lines.length ? lines : [{}];
}

// Returns what is wrong with the only address before it is sent. Of several, each is refused for itself.
function wrongAddress([{ uri }, ...others]) {
  return uri && !others.length ? checkTarget(uri) : "";
}

// Returns the request to mint for a line; undefined members are not sent. Its own columns override the fields.
function body({ uri, ...own }) {
  const described = ["who", "what", "when"].map((name) => [name, own[name] ?? text(name)]).filter(([, value]) => value);
  return {
    prefix: text("prefix"),
    uri,
    id: text("chosen"),
    metadata: described.length ? Object.fromEntries(described) : undefined,
    status: form.elements.reserved.checked ? "reserved" : undefined,
  };
}

function text(name) {
  return form.elements[name].value.trim() || undefined;
}

// Shows the result for one of several addresses.
function isOutcome(answer) {
  return isRecord(answer?.record) || (!answer?.record && typeof answer?.problem?.detail === "string");
}

async function minted(path, body, isFit) {
  const key = form.elements.key.value;
  const content = JSON.stringify([path, body]);
  if (content !== last.text) last = { text: content, name: uuid4() };
  const headers = { "Idempotency-Key": last.name };
  return (await ask("POST", path, { key, body, headers, isFit })).document;
}

function showOne(record) {
  show("good", say(record.status === "reserved" ? "mint-reserved" : "mint-done"));
  list.replaceChildren(line(linked(record)));
  unminted.hidden = true;
  const isPublic = record.status !== "reserved"; // reserved ones have no QR code either
  picture.hidden = !isPublic;
  const image = Object.assign(new Image(200, 200), { alt: say("mint-qr", { pid: record.pid }), className: "qr" });
  if (isPublic) image.src = `${record.pid}?format=qr`;
  picture.replaceChildren(image);
  result.hidden = false;
}

function showMany(texts, answers) {
  const lines = answers.map((answer, at) => ({ ...answer, ...texts[at] }));
  const done = lines.filter(({ record }) => record);
  const left = lines.filter(({ record }) => !record);
  // Copied text is a table of two columns.
  list.replaceChildren(...done.map(({ record, uri }) => line(linked(record), `\t${uri}\n`)));
  const refusals = left.map(({ problem, uri }) => say("mint-refused", { uri, why: checkTarget(uri) || reason(problem) }));
  unminted.replaceChildren(...refusals.map((refusal) => line(refusal)));
  unminted.hidden = !left.length;
  picture.hidden = true;
  result.hidden = false;
  if (!left.length) return show("good", say("mint-done-all", { all: lines.length }));
  // Minted addresses are removed, so that they are not minted again with the corrected ones.
  form.elements.uri.value = left.map(({ whole }) => whole).join("\n");
  show("bad", say("mint-done-of", { done: done.length, all: lines.length }));
}

function reason(problem) {
  return violationsOf(problem).map(({ detail }) => sentence(detail)).join(" ") || problem.detail;
}

function line(...parts) {
  const item = document.createElement("li");
  item.append(...parts);
  return item;
}

// Returns a link to the record's page, or the PID as text if it is reserved and thus has no page yet.
function linked(record) {
  if (record.status === "reserved") return record.pid;
  return Object.assign(document.createElement("a"), { href: `${record.pid}?format=html`, textContent: record.pid });
}

function show(kind, sentence) {
  status.className = kind;
  status.textContent = sentence;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

// Removes the messages of the last attempt.
function forget() {
  result.hidden = true;
  for (const field of form.elements) {
    const wrong = document.getElementById(`${field.id}-wrong`);
    if (!wrong) continue;
    field.removeAttribute("aria-invalid");
    wrong.hidden = true;
    wrong.textContent = "";
  }
}

const MEMBERS = {
  __proto__: null,
  "/prefix": "prefix", "/uri": "uri", "/id": "chosen",
  "/metadata/who": "who", "/metadata/what": "what", "/metadata/when": "when",
};
const KINDS = {
  __proto__: null,
  unauthenticated: "key", forbidden: "key", "unknown-prefix": "prefix", "identifier-taken": "chosen",
  "invalid-identifier": "chosen", "invalid-character": "chosen", "invalid-length": "chosen", "invalid-check": "chosen",
  "invalid-pattern": "chosen",
};

// Shows the reason of a refusal at the field that caused it, and below the button.
function refused({ sentence: whole, problem, violations }) {
  const placed = violations.map(({ pointer, detail }) => [form.elements[MEMBERS[pointer]], detail, pointer]);
  const others = placed.filter(([field]) => !field);
  const astray = others.map(([, detail, pointer]) => sentence(`${pointer} ${detail}`.trim()));
  const kind = String(problem?.type).split("/").pop();
  const field = form.elements[KINDS[kind]];
  if (field && !violations.length && typeof problem.detail === "string") {
    placed.push([field, say(`mint-at-${kind}`, { why: sentence(problem.detail) })]);
  }
  refuseAt(placed, violations.length ? [say("mint-look"), ...astray].join(" ") : whole);
}

// Shows a sentence, and a reason at each field; moves the focus to the first of them.
function refuseAt(placed, whole) {
  show("bad", whole);
  for (const [marked, detail] of placed) if (marked) mark(marked, detail);
  const first = placed.find(([marked]) => marked)?.[0];
  first?.closest("details")?.setAttribute("open", "");
  first?.focus();
}

function mark(field, detail) {
  const wrong = document.getElementById(`${field.id}-wrong`);
  wrong.textContent = `${wrong.textContent} ${sentence(detail)}`.trim();
  wrong.hidden = false;
  field.setAttribute("aria-invalid", "true");
}

// Prepares another request, with its own Idempotency-Key even for the same address.
function again() {
  last = { text: "", name: "" };
  form.elements.uri.value = "";
  form.elements.chosen.value = "";
  forget();
  show("", "");
  form.elements.uri.focus();
}
