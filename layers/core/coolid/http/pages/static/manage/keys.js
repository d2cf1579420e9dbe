// Keys: their list, a form that creates one, which is shown once, and their revocation. #prefix=mp fills in a prefix.
import { say } from "../words.js";
import { allMembers, call, newAttempt } from "./api.js";
import { busy, confirmed, element, markField, newId, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";
import { ownNamespaces } from "./namespaces.js";
import { scopeText } from "./scope-text.js";
import { client, isAdmin } from "./session.js";

const CLIENTS = "/api/v1/clients";
const VERBS = ["mint", "update", "watch"];
const part = (id) => document.getElementById(id);
const form = part("create-form");
let keys = [];
let attempt = null; // the Idempotency-Key of a request whose response was lost

start(async () => {
  part("show-revoked").addEventListener("change", show);
  part("add-scope").addEventListener("click", () => addScope().focus());
  part("new-key-done").addEventListener("click", forget);
  for (const each of form.elements.reach) each.addEventListener("change", arrange);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("create-button"), create);
  });
  form.addEventListener("input", () => (attempt = null));
  addScope(new URLSearchParams(location.hash.slice(1)).get("prefix") ?? "");
  await load();
  if (isAdmin()) await offerPrefixes();
});

async function load() {
  try {
    keys = await allMembers(CLIENTS, "clients");
    notify(part("keys-message"), "", "");
    show();
  } catch (wrong) {
    notifyFailure(part("keys-message"), wrong);
  }
}

async function offerPrefixes() {
  try {
    const options = (await ownNamespaces()).map(({ prefix, title }) => element("option", { value: prefix }, title ?? ""));
    part("prefix-names").replaceChildren(...options);
  } catch {
    // Prefixes can be typed without them.
  }
}

function show() {
  const rows = keys.filter(({ revoked }) => !revoked || part("show-revoked").checked);
  const hasUse = rows.some((each) => "last_used" in each);
  const columns = [
    { label: say("keys-id"), header: true, cell: name },
    { label: say("keys-scopes"), cell: ({ scopes }) => element("ul", {}, ...scopes.map((each) => element("li", {}, scopeText(each)))) },
    { label: say("keys-quota"), cell: quota },
    { label: say("keys-created"), cell: ({ created }) => time(created) },
    ...(hasUse ? [{ label: say("keys-used"), cell: (each) => each.last_used ?? say("keys-never") }] : []),
    { label: say("keys-state"), cell: state },
  ];
  part("keys-list").replaceChildren(...(rows.length ? [table({ caption: say("keys-caption"), columns, rows, class: "stacked keys" })] : []));
}

function name({ id, note }) {
  const own = id === client().id ? element("strong", {}, ` ${say("keys-own")}`) : "";
  return [element("code", {}, id), own, note ? element("span", { class: "fact" }, note) : ""];
}

function quota({ quota: limits }) {
  const lines = ["minute", "day"].filter((each) => limits?.[each]).map((each) => say(`keys-${each}`, { number: limits[each] }));
  return lines.length ? lines.map((each) => element("span", { class: "fact" }, each)) : say("keys-unlimited");
}

function state(key) {
  if (key.revoked) return [say("keys-revoked"), " ", time(key.revoked)];
  if (!isAdmin()) return say("keys-valid");
  const onclick = ({ currentTarget }) => busy(currentTarget, () => revoke(key));
  return element("button", { type: "button", class: "quiet", onclick, "aria-label": say("keys-revoke-one", { id: key.id }) }, say("keys-revoke"));
}

// Adds the row of a prefix, with what the key may do there. Returns its first field.
function addScope(prefix = "") {
  const id = newId("scope");
  const first = !part("scopes").childElementCount;
  const attributes = { id, type: "text", maxlength: 200, list: "prefix-names", autocapitalize: "none", spellcheck: "false" };
  const described = { "aria-describedby": `${id}-help ${id}-wrong`, "data-pointer": first ? "/scopes" : null };
  const input = element("input", { ...attributes, ...described });
  input.value = prefix;
  const boxes = VERBS.map((verb) => {
    const box = newId("verb");
    const made = element("input", { type: "checkbox", id: box, "data-verb": verb, checked: verb !== "watch" });
    return element("span", { class: "verb" }, made, " ", element("label", { class: "beside", for: box }, say(`keys-verb-${verb}`)), " ");
  });
  const remove = element("button", { type: "button", class: "quiet", onclick: () => removeScope(row) }, say("keys-remove"));
  const row = element(
    "fieldset",
    { class: "scope" },
    element("legend", {}, say("keys-prefix-legend")),
    element("label", { for: id }, say("keys-prefix")),
    element("p", { class: "soft hint", id: `${id}-help` }, say("keys-prefix-help")),
    input,
    element("p", { class: "bad hint", id: `${id}-wrong`, hidden: true }),
    element("p", {}, ...boxes),
    first ? "" : element("p", { class: "row" }, remove),
  );
  part("scopes").append(row);
  return input;
}

function removeScope(row) {
  row.remove();
  part("add-scope").focus();
}

function arrange() {
  const isEverything = form.elements.reach.value === "admin";
  part("scopes").hidden = isEverything;
  part("add-scope").hidden = isEverything;
}

// Returns the chosen scopes, or null after it has marked an empty row.
function chosenScopes() {
  if (form.elements.reach.value === "admin") return ["admin"];
  const found = [];
  for (const row of part("scopes").children) {
    const input = row.querySelector("input[type=text]");
    const prefix = input.value.trim();
    const verbs = [...row.querySelectorAll("[data-verb]:checked")].map(({ dataset }) => dataset.verb);
    const reason = prefix ? (verbs.length ? "" : say("keys-no-verb")) : say("keys-no-prefix");
    markField(input, reason);
    if (reason) {
      input.focus();
      return null;
    }
    found.push(...verbs.map((verb) => `${verb}:${prefix}`));
  }
  return found;
}

function chosenQuota() {
  const limits = Object.fromEntries(["minute", "day"].map((each) => [each, part(each).valueAsNumber]));
  const known = Object.entries(limits).filter(([, number]) => Number.isFinite(number));
  return known.length ? Object.fromEntries(known) : null;
}

async function create() {
  notify(part("create-message"), "", "");
  const scopes = chosenScopes();
  if (!scopes) return;
  attempt ??= newAttempt();
  const body = { scopes, note: part("note").value.trim(), quota: chosenQuota() };
  try {
    const isFit = (made) => typeof made?.key === "string";
    const { document: made } = await call("POST", CLIENTS, { body, headers: { "Idempotency-Key": attempt }, isFit });
    attempt = null;
    reveal(made.key);
    form.reset();
    part("scopes").replaceChildren();
    addScope();
    arrange();
    await load();
  } catch (wrong) {
    if (wrong.status) attempt = null;
    notifyFailure(part("create-message"), wrong, form);
  }
}

function reveal(key) {
  part("new-key-text").textContent = key;
  part("new-key").hidden = false;
  part("new-key").focus();
}

function forget() {
  part("new-key-text").textContent = "";
  part("new-key").hidden = true;
  part("note").focus();
}

// Asks before a key is revoked; for one's own, its id must be typed.
async function revoke(key) {
  const isOwn = key.id === client().id;
  const content = [element("p", {}, say("keys-revoke-why"))];
  const field = element("input", { id: newId("own"), type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const wrong = element("p", { class: "bad hint", role: "alert" });
  if (isOwn) content.push(element("p", { class: "bad" }, say("keys-revoke-own")), element("label", { for: field.id }, say("keys-revoke-type", { id: key.id })), field, wrong);
  const act = async () => {
    if (isOwn && field.value.trim() !== key.id) {
      wrong.textContent = say("keys-revoke-typed", { id: key.id });
      field.focus();
      return false;
    }
    return true;
  };
  const question = { title: say("keys-revoke-title", { id: key.id }), content, act };
  const answers = { yes: say("keys-revoke-one", { id: key.id }), no: say("keys-cancel") };
  if (!(await confirmed({ ...question, ...answers }))) return;
  try {
    await call("DELETE", `${CLIENTS}/${encodeURIComponent(key.id)}`);
    await load();
    notify(part("keys-message"), "good", say("keys-revoked-one", { id: key.id }));
  } catch (wrongAnswer) {
    notifyFailure(part("keys-message"), wrongAnswer);
  }
}
