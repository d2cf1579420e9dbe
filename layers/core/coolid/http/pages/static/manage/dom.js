// Elements of the management pages. All text becomes text nodes, never markup.
//
// How a page uses it: `element("p", { class: "soft" }, "text", otherElement)`; `notify(region, "bad", sentence)` for a
// region with role="status" or "alert"; `busy(button, work)` runs one action at a time; `markViolations(form, failure)`
// shows the reasons of the API beside the fields, which name their member by data-pointer="/metadata/who";
// `choose({...})` and `confirmed({...})` ask a question in a modal dialog; `table({...})` makes a table with a caption.
import { failureOf } from "../service.js";
import { say } from "../words.js";

const WEB = /^https?:\/\//i;
let number = 0;

// Returns a new id for an element of this page.
export function newId(name) {
  number += 1;
  return `${name}-${number}`;
}

// Returns an element. Attributes that are functions are listeners, { onclick: … }; those that are undefined, null or
// false are left out, and those that are true are empty. A link keeps its href only if it is an http(s) URL or a fragment.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(attribute.slice(2), value);
    else if (attribute !== "href" || WEB.test(value) || value.startsWith("#")) {
      made.setAttribute(attribute, value === true ? "" : value);
    }
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

// Returns a labelled field: {row, input}. `pointer` is the JSON pointer of its member in the request.
export function field({ label, hint, pointer, name = "input", value = "", ...attributes }, ...options) {
  const id = newId("field");
  const described = `${hint ? `${id}-help ` : ""}${id}-wrong`;
  const own = { id, "aria-describedby": described, "data-pointer": pointer, ...attributes };
  const input = element(name, name === "input" ? { type: "text", ...own } : own, ...options);
  input.value = value;
  const row = element(
    "div",
    { class: "field" },
    element("label", { for: id }, label),
    hint && element("p", { class: "soft hint", id: `${id}-help` }, hint),
    input,
    element("p", { class: "bad hint", id: `${id}-wrong`, hidden: true }),
  );
  return { row, input };
}

// Shows a reason beside a field, or removes it if there is none.
export function markField(input, reason = "") {
  const wrong = document.getElementById(`${input.id}-wrong`);
  if (reason) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
  if (!wrong) return;
  wrong.textContent = reason;
  wrong.hidden = !reason;
}

// Shows each violation at the field with its pointer, or with the pointer of what contains it. Returns the sentences of
// those without a field. The first marked field gets the focus.
export function markViolations(root, { violations }) {
  const fields = [...root.querySelectorAll("[data-pointer]")];
  for (const each of fields) markField(each);
  const found = violations.map((violation) => ({ ...violation, input: fieldOf(fields, violation.pointer) }));
  for (const { input, detail } of found) if (input) markField(input, [reasonAt(input), detail].filter(Boolean).join(" "));
  const first = found.find(({ input }) => input)?.input;
  first?.closest("details")?.setAttribute("open", "");
  first?.focus();
  return found.filter(({ input }) => !input).map(({ pointer, detail }) => `${pointer} ${detail}`.trim());
}

function fieldOf(fields, pointer) {
  const holders = fields.filter(({ dataset }) => dataset.pointer && `${pointer}/`.startsWith(`${dataset.pointer}/`));
  return holders.sort((one, other) => other.dataset.pointer.length - one.dataset.pointer.length)[0];
}

function reasonAt(input) {
  return document.getElementById(`${input.id}-wrong`)?.textContent;
}

// Shows a sentence, and further ones as a list, in a live region. `kind` is good, bad or soft.
export function notify(region, kind, sentence, more = []) {
  const list = more.length ? [element("ul", { class: kind }, ...more.map((each) => element("li", {}, each)))] : [];
  region.replaceChildren(...(sentence ? [element("p", { class: kind }, sentence), ...list] : []));
}

// Shows any error in a live region, with the violations that have no field in `root`.
export function notifyFailure(region, wrong, root = null) {
  const failure = failureOf(wrong);
  const { violations } = failure;
  const others = root ? markViolations(root, failure) : violations.map((each) => `${each.pointer} ${each.detail}`.trim());
  notify(region, "bad", failure.sentence, others);
  return failure;
}

// Runs the work of a button unless it runs already. The button says so to everybody meanwhile.
export async function busy(button, work) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

// Returns a table. `columns` are [{label, cell(row), head, header, sort, onsort}]: `head` replaces the label at the top,
// `header` marks the cells that are headings of rows, `sort` is the present order (aria-sort), `onsort` changes it.
export function table({ caption, columns, rows, ...attributes }) {
  const heads = columns.map(({ label, head = label, sort, onsort }) => {
    const text = onsort ? element("button", { type: "button", class: "quiet sort", onclick: onsort }, head) : head;
    return element("th", { scope: "col", "aria-sort": sort }, text);
  });
  const line = (row) => columns.map((column) => cellOf(column, row));
  return element(
    "table",
    attributes,
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...line(row)))),
  );
}

function cellOf({ label, cell, header }, row) {
  const content = [cell(row)].flat();
  return header ? element("th", { scope: "row" }, ...content) : element("td", { "data-label": label }, ...content);
}

// Asks a question in a modal dialog. `actions` are [{label, value, quiet}]; an empty value only closes it. `act(value)`
// runs before the dialog closes, which it prevents by returning false. Returns the value of the chosen action, or null
// after Escape. The focus then returns to where it was.
export function choose({ title, content = [], actions, act = () => true }) {
  const heading = element("h2", { id: newId("dialog"), tabindex: "-1" }, title);
  const before = document.activeElement;
  let chosen = null;
  let isBusy = false;
  const press = async (value) => {
    isBusy = true;
    const isDone = !value || (await act(value));
    isBusy = false;
    if (!isDone) return;
    chosen = value || null;
    dialog.close();
  };
  const buttons = actions.map(({ label, value, quiet }) => {
    const onclick = ({ currentTarget }) => busy(currentTarget, () => press(value));
    return element("button", { type: "button", class: quiet && "quiet", onclick }, label);
  });
  const parts = [heading, content, element("p", { class: "row" }, ...buttons)].flat();
  const dialog = element("dialog", { "aria-labelledby": heading.id, oncancel: (event) => isBusy && event.preventDefault() }, ...parts);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if ("suspended" in dialog.dataset) return; // the reader signs in again first
      dialog.remove();
      before?.focus?.();
      resolve(chosen);
    });
    dialog.showModal();
    heading.focus();
  });
}

// Asks a question to be answered with yes or no, as `choose` does. Returns whether the answer is yes.
export async function confirmed({ yes, no, ...question }) {
  const actions = [
    { label: yes, value: "yes" },
    { label: no, value: "", quiet: true },
  ];
  return (await choose({ ...question, actions })) === "yes";
}

// Returns a time of the API, 2025-01-15T09:30:00Z, as an element that people can read.
export function time(text) {
  if (!text) return "";
  const date = new Date(text);
  const shown = Number.isNaN(date.getTime()) ? text : date.toISOString().slice(0, 16).replace("T", " ");
  return element("time", { datetime: text, title: text }, shown);
}

// Returns the elements of a list of definitions, from [[name, value]]. Pairs without a value are left out.
export function definitions(pairs) {
  const given = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
}

// Lets the reader save a Blob. The URL remains for a while, because browsers may read a large file later.
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Returns the message of an amount: the first for one, the second for any other, which replaces {number}.
export function counted(amount, one, many) {
  return say(amount === 1 ? one : many, { number: amount });
}
