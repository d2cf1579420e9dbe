// Withdraws the record of the page with an API key: loads the current version, asks for confirmation, and withdraws only
// that version (If-Match). The key is only in its field, until the user leaves the page.
import { ask, Failure, failureOf, isRecord } from "./service.js";
import { base, say } from "./words.js";

const RECORDS = "/api/v1/records";
const FIELDS = { __proto__: null, "/reason": "reason", "/successor": "successor" };
const section = document.getElementById("keep");
let isBusy = false;
const part = (name) => section.querySelector(`[data-part="${name}"]`);

const isHere = new URL(base).origin === location.origin; // the API answers no other page's changes
part("form").hidden = !isHere;
part("elsewhere").hidden = isHere;
part("form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy(() => prepare(filledIn()));
});

function filledIn() {
  const { key, reason, successor } = part("form").elements;
  const body = { reason: reason.value.trim() };
  if (successor.value.trim()) body.successor = successor.value.trim();
  return { key: key.value, body };
}

// Loads the record with its ETag, and asks for confirmation.
async function prepare({ key, body }) {
  const { headers, document } = await ask("GET", RECORDS + path(), { key, isFit: isRecord });
  if (document.status === "withdrawn") throw new Failure(say("keep-withdrawn"));
  if (!headers.has("ETag")) throw new Failure(say("service-unexpected"));
  if (String(document.version) !== section.dataset.version) throw new Failure(say("keep-changed"));
  const { reason, successor } = body;
  part("summary").textContent = say(successor ? "keep-summary-successor" : "keep-summary", { reason, successor });
  part("yes").onclick = () => busy(() => withdraw(key, body, headers.get("ETag")));
  part("no").onclick = () => question(false);
  question(true);
}

async function withdraw(key, body, tag) {
  question(false);
  const isFit = (answer) => isRecord(answer) && answer.status === "withdrawn";
  const request = { key, body, headers: { "If-Match": tag }, isFit };
  const { document: tombstone } = await ask("DELETE", RECORDS + path(), request);
  part("form").reset();
  part("form").hidden = true;
  show(say("keep-done"));
  // Bypasses the browser's cache. If another cache still returns the old page, the address of the new version is opened,
  // which no cache can contain.
  const anew = await fetch(location.href, { cache: "reload", headers: { Accept: "text/html" } }).catch(() => null);
  if (anew?.status === 410) location.reload();
  else location.assign(`${base}${path()}?format=html&version=${tombstone.version}`);
}

// Returns the path of the record here; it is the same for every issuer.
function path() {
  const { pid, issuer } = section.dataset;
  return pid.startsWith(`${issuer}/`) ? pid.slice(issuer.length) : new URL(pid).pathname;
}

function question(isAsked) {
  part("form").hidden = isAsked;
  part("confirm").hidden = !isAsked;
  if (isAsked) document.getElementById("withdraw-question").focus();
  else part("form").querySelector("button").focus();
}

// Runs one action at a time, and shows its error.
async function busy(work) {
  if (isBusy) return;
  isBusy = true;
  for (const field of part("form").querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  show(say("keep-busy"));
  try {
    await work();
    if (part("message").textContent === say("keep-busy")) show("");
  } catch (wrong) {
    refused(failureOf(wrong));
  } finally {
    isBusy = false;
  }
}

function refused({ sentence, status, violations }) {
  const items = violations.map(({ pointer, detail }) => {
    const field = part("form").elements[FIELDS[pointer]];
    field?.setAttribute("aria-invalid", "true");
    const item = document.createElement("li");
    item.textContent = say("keep-place", { place: field ? field.labels[0].textContent : pointer, detail });
    return item;
  });
  if (status === 401 || status === 403) part("form").elements.key.setAttribute("aria-invalid", "true");
  const list = document.createElement("ul");
  list.append(...items);
  const paragraph = document.createElement("p");
  paragraph.className = "bad";
  paragraph.textContent = sentence;
  part("message").replaceChildren(paragraph, ...(items.length ? [list] : []));
}

function show(text) {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  part("message").replaceChildren(...(text ? [paragraph] : []));
}
