// The form that creates a repository, in steps, and registers its prefix. These are two requests. If only the first
// succeeds, the form says so, and the next attempt sends only the second.
import { say } from "../words.js";
import { call, newAttempt } from "./api.js";
import { definitions, element, markField, markViolations, notify, notifyFailure } from "./dom.js";
import { prefixPath } from "./namespaces.js";
import { examples, fillDefaults, kindOf, PREFIX_FIELDS, RULE_FIELDS } from "./repository-kinds.js";
import { commitmentFields, termsFields } from "./repository-terms.js";

const REPOSITORIES = "/api/v1/repositories";
const NAMES = 1; // the step of the names
const TERMS = 2;
const COMMITMENT = 3;
const part = (id) => document.getElementById(id);
const form = part("wizard");
const steps = [...form.querySelectorAll("[data-step]")];
let step = 0;
let terms;
let commitment;
let attempt = ""; // the Idempotency-Key of the creation
let created = null; // the repository whose prefix is not registered yet
let finish;

// Prepares the form. `done(repository, prefix)` is called at the end, `leave()` when the reader cancels.
export function prepare(done, leave) {
  finish = done;
  fillDefaults();
  terms = termsFields();
  commitment = commitmentFields(null);
  part("wizard-terms").replaceChildren(terms.element);
  part("wizard-commitment").replaceChildren(commitment.element);
  form.addEventListener("input", showNames);
  form.addEventListener("change", showNames);
  part("back").addEventListener("click", () => go(step - 1));
  part("cancel").addEventListener("click", leave);
}

// Shows the form from its beginning; what was typed before stays.
export function open() {
  form.hidden = false;
  [created, attempt] = [null, newAttempt()];
  go(0);
}

export function close() {
  form.hidden = true;
}

// Goes on to the next step, or creates the repository at the end.
export async function advance() {
  notify(part("wizard-message"), "", "");
  if (step === NAMES && !(await areNamesRight())) return;
  if (step === TERMS && !isNamed()) return;
  if (step < steps.length - 1) return go(step + 1);
  await create();
}

function kindName() {
  return form.elements.kind.value;
}

function go(wanted) {
  step = wanted;
  steps.forEach((each, at) => (each.hidden = at !== step));
  part("back").hidden = step === 0;
  part("next").textContent = say(step === steps.length - 1 ? "repo-create" : "repo-next");
  showNames();
  if (step === steps.length - 1) summarise();
  steps[step].querySelector("h2").focus();
}

function showNames() {
  for (const each of form.querySelectorAll("[data-kind]")) each.hidden = each.dataset.kind !== kindName();
  part("kind-rule").textContent = say(`repo-rule-${kindName()}`);
  if (step !== NAMES) return;
  try {
    const lines = examples(kindName()).map((each) => element("li", {}, each));
    part("examples").replaceChildren(...lines);
    part("capacity").textContent = kindOf(kindName()).capacity();
  } catch (wrong) {
    part("examples").replaceChildren();
    part("capacity").textContent = wrong.key ? say(wrong.key, wrong.values) : say("repo-no-examples");
  }
}

function isNamed() {
  const { title } = terms.read();
  markField(terms.input, title ? "" : say("repo-no-title"));
  if (!title) terms.input.focus();
  return Boolean(title);
}

// Returns whether the names can be created: the fields are filled, and the prefix is free.
async function areNamesRight() {
  const fields = [...steps[NAMES].querySelectorAll("input")];
  for (const each of fields) markField(each);
  const faults = kindOf(kindName()).faults();
  for (const [id, sentence] of faults) markField(part(id), sentence);
  if (faults.length) part(faults[0][0]).focus();
  return !faults.length && (await isFree());
}

// A namespace never changes its repository. A prefix of others becomes one's own.
async function isFree() {
  const prefix = kindOf(kindName()).prefix();
  try {
    const { document } = await call("GET", prefixPath(prefix));
    if (document?.kind !== "namespace") {
      notify(part("wizard-message"), "soft", say("repo-prefix-others", { prefix, title: document?.title ?? prefix }));
      return true;
    }
  } catch (wrong) {
    if (wrong.status === 404) return true;
    notifyFailure(part("wizard-message"), wrong);
    return false;
  }
  const field = part(PREFIX_FIELDS[kindName()]);
  markField(field, say("repo-prefix-taken", { prefix }));
  field.focus();
  return false;
}

function summarise() {
  const kind = kindOf(kindName());
  const { title, domains } = terms.read();
  const label = document.querySelector(`label[for=kind-${kindName()}]`).textContent;
  let capacity = "";
  try {
    capacity = kind.capacity();
  } catch {
    // The API explains what is wrong with the rules.
  }
  const facts = [
    [say("repo-title"), title],
    [say("repo-kind"), label],
    [say("repo-prefix"), kind.prefix()],
    [say("repo-rules"), JSON.stringify(kind.rules())],
    [say("repo-size"), capacity],
    [say("repo-domains"), domains.join(", ") || say("repo-any-host")],
    [say("repo-commitment"), commitment.read()?.what ?? say("commitment-none")],
  ];
  part("summary").replaceChildren(...definitions(facts));
}

async function create() {
  const kind = kindOf(kindName());
  const prefix = kind.prefix();
  try {
    if (!created) created = await createRepository(kind);
  } catch (wrong) {
    return explain(wrong);
  }
  try {
    const body = { kind: "namespace", repository: created.id, title: created.title };
    await call("PUT", prefixPath(prefix), { body });
  } catch (wrong) {
    notifyFailure(part("wizard-message"), wrong);
    const kept = element("p", {}, say("repo-half-done", { id: created.id, prefix }));
    part("wizard-message").prepend(kept);
    return;
  }
  const repository = created;
  created = null;
  finish(repository, prefix);
}

async function createRepository(kind) {
  const support = commitment.read();
  const body = { ...terms.read(), ...(support ? { support } : {}), scheme: kind.scheme(), rules: kind.rules() };
  const isFit = (made) => typeof made?.id === "string";
  const request = { body, headers: { "Idempotency-Key": attempt }, isFit };
  const { document } = await call("POST", REPOSITORIES, request);
  return document;
}

// Shows the reasons of the API at the fields, and the step with the first of them.
function explain(wrong) {
  if (wrong.status) attempt = newAttempt(); // the request was answered, and another one is another attempt
  const pointers = (wrong.violations ?? []).map(({ pointer }) => pointer);
  const isOfRules = pointers.some((each) => each.startsWith("/rules") || each === "/scheme");
  const isOfCommitment = pointers.some((each) => each.startsWith("/support"));
  if (pointers.length) go(isOfRules ? NAMES : isOfCommitment ? COMMITMENT : TERMS);
  for (const { pointer, detail } of wrong.violations ?? []) {
    const field = part(RULE_FIELDS[pointer.split("/")[2]] ?? "");
    if (pointer.startsWith("/rules/") && field) markField(field, detail);
  }
  const failure = notifyFailure(part("wizard-message"), wrong);
  if (!isOfRules) markViolations(steps[step], failure);
}
