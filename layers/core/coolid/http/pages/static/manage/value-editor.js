// Editors of JSON values: a text, a list, an object with members, or any value as JSON.
//
// An editor is {node, read(pointer)}. `read` returns the value, undefined for nothing, and puts the JSON pointer of each
// value at its field (data-pointer), where violations are shown. A value that nobody touched is returned as it was.
//
// A `form` (record-fields.js) describes values: {label, hint, check, kind: "number" | "choice" | "long", options} for a
// text; {members: {name: form}, more: [names that are shown on demand]} for an object; {item: form} for a list.
import { say } from "../words.js";
import { escaped, isEqual } from "./changes.js";
import { element, field, markField } from "./dom.js";
import { checkJson } from "../value-checks.js";

const MOST_DEEP = 5;
const LONG = 80;

// Returns the editor of a value with a name for people.
export function valueEditor(value, label, form = {}, depth = 0) {
  const isText = value === undefined || value === null || typeof value === "string";
  if (form.item && (value === undefined || Array.isArray(value))) return listEditor(value, label, form, depth);
  if (form.members && (value === undefined || isObject(value))) return objectEditor(value, label, form, depth);
  if (form.kind === "number" && (isText || typeof value === "number")) return textEditor(value, label, form);
  if (form.kind === "choice" && isText) return textEditor(value, label, form);
  if (isText && value !== null) return textEditor(value, label, form);
  if (value === null && form.kind === "moment") return textEditor(value, label, form);
  if (Array.isArray(value) && depth < MOST_DEEP) return listEditor(value, label, form, depth);
  if (isObject(value) && depth < MOST_DEEP) return objectEditor(value, label, form, depth);
  return jsonEditor(value, label);
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function textEditor(value, label, form) {
  const { kind, options = [], check } = form;
  const shown = String(value ?? options[0] ?? "");
  const isLong = kind === "long" || shown.length > LONG || shown.includes("\n");
  const name = kind === "choice" ? "select" : isLong ? "textarea" : "input";
  const choices = options.map((each) => element("option", { value: each }, say(`choice-${each}`)));
  const attributes = { name, value: shown, rows: name === "textarea" && "3", spellcheck: check && "false" };
  const { row, input } = field({ label, hint: form.hint && say(form.hint), ...attributes }, ...choices);
  const before = input.value; // browsers change line breaks
  if (check) input.addEventListener("input", () => markField(input, check(input.value.trim())));
  const read = (pointer) => {
    input.dataset.pointer = pointer;
    if (input.value === before) return value;
    const text = check ? input.value.trim() : input.value;
    if (!text.trim()) return undefined;
    return kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
  };
  return { node: row, read, focus: () => input.focus() };
}

// Returns the editor of a value as JSON.
export function jsonEditor(value, label) {
  const shown = value === undefined ? "" : JSON.stringify(value, null, 2);
  const rows = String(Math.min(12, shown.split("\n").length + 1));
  const { row, input } = field({ label, hint: say("edit-json-hint"), name: "textarea", value: shown, rows, spellcheck: "false" });
  input.classList.add("json");
  input.addEventListener("input", () => markField(input, input.value.trim() ? checkJson(input.value) : ""));
  const read = (pointer) => {
    input.dataset.pointer = pointer;
    if (input.value === shown) return value;
    if (!input.value.trim()) return undefined;
    // An invalid text stays in its field, which is marked; callers look at isValid first.
    return checkJson(input.value) ? value : JSON.parse(input.value);
  };
  return { node: row, read, focus: () => input.focus() };
}

function objectEditor(value, label, form, depth) {
  const known = form.members ?? {};
  const more = form.more ?? [];
  const names = [...new Set([...Object.keys(known), ...Object.keys(value ?? {})])];
  const editors = new Map(names.map((name) => {
    const own = Object.hasOwn(known, name) ? known[name] : {};
    return [name, valueEditor(member(value, name), own.label ? say(own.label) : name, own, depth + 1)];
  }));
  const hidden = names.filter((name) => more.includes(name) && member(value, name) === undefined);
  const shown = names.filter((name) => !hidden.includes(name)).map((name) => editors.get(name).node);
  const rest = hidden.map((name) => editors.get(name).node);
  const details = rest.length ? [element("details", {}, element("summary", {}, say("edit-more")), ...rest)] : [];
  const node = element("fieldset", { tabindex: "-1" }, element("legend", {}, label), ...shown, ...details);
  const read = (pointer) => {
    node.dataset.pointer = pointer;
    const read = [...editors].map(([name, each]) => [name, each.read(`${pointer}/${escaped(name)}`)]);
    const present = read.filter(([, each]) => each !== undefined);
    if (!present.length && value === undefined) return undefined;
    return same(value, Object.fromEntries(present));
  };
  return { node, read, focus: () => [...editors.values()][0]?.focus() };
}

function listEditor(value, label, form, depth) {
  const items = []; // {editor, node}
  const one = form.one ? say(form.one) : label;
  const list = element("div", { class: "items" });
  const add = element("button", { type: "button", class: "quiet", onclick: () => append(undefined).focus() }, say("edit-add", { label: one }));
  const node = element("fieldset", { tabindex: "-1" }, element("legend", {}, label), form.hint && element("p", { class: "soft hint" }, say(form.hint)), list, add);
  function append(content) {
    const name = say("edit-item", { label: one, number: items.length + 1 });
    const editor = valueEditor(content, name, form.item ?? sample(value), depth + 1);
    const remove = element("button", { type: "button", class: "quiet", onclick: () => drop(item) }, say("edit-remove", { label: name }));
    const item = { editor, node: element("div", { class: "item" }, editor.node, remove) };
    items.push(item);
    list.append(item.node);
    return editor;
  }
  function drop(item) {
    items.splice(items.indexOf(item), 1);
    item.node.remove();
    add.focus();
    node.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (const each of value ?? []) append(each);
  const read = (pointer) => {
    node.dataset.pointer = pointer;
    const read = [];
    for (const { editor } of items) {
      const each = editor.read(`${pointer}/${read.length}`);
      if (each !== undefined) read.push(each);
    }
    if (!read.length && value === undefined) return undefined;
    return same(value, read);
  };
  return { node, read, focus: () => (items[0] ? items[0].editor.focus() : add.focus()) };
}

// Returns the form of a new item of a list without one: the members of its first item.
function sample(value) {
  const first = value?.[0];
  return isObject(first) ? { members: Object.fromEntries(Object.keys(first).map((name) => [name, {}])) } : {};
}

function member(value, name) {
  return value && Object.hasOwn(value, name) ? value[name] : undefined;
}

// Returns the former value if nothing changed, whose members are in their order.
function same(value, read) {
  return value !== undefined && isEqual(value, read) ? value : read;
}
