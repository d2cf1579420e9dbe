// The form of a record's content: targets, metadata, other identifiers, and how long caches may use answers.
//
// `recordForm(record, domains)` returns {node, content(), isValid(), isChanged()}. `content()` has all content that the
// record had: members without a field of their own are edited as JSON.
import { say } from "../words.js";
import { contentOf, escaped, isEqual } from "./changes.js";
import { element, field, markField } from "./dom.js";
import { ALTERNATES, KERNEL, locationsForm, MEMBERS } from "./record-fields.js";
import { checkSeconds } from "../value-checks.js";
import { jsonEditor, valueEditor } from "./value-editor.js";

export function recordForm(record, domains) {
  const before = contentOf(record);
  const locations = valueEditor(before.records ?? [], say("form-targets"), locationsForm(domains));
  const metadata = metadataEditor(before.metadata ?? {});
  const alternates = valueEditor(before.alternates ?? [], say("form-alternates"), ALTERNATES);
  const ttl = valueEditor(before.ttl, say("form-ttl"), { kind: "number", hint: "form-ttl-hint", check: checkSeconds });
  const node = element("div", { class: "record-form" }, locations.node, metadata.node, alternates.node, ttl.node);
  const content = () => {
    const members = {
      records: locations.read("/records").map(withStatus),
      metadata: metadata.read("/metadata"),
      alternates: alternates.read("/alternates"),
      status: before.status,
      ttl: ttl.read("/ttl"),
    };
    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  };
  const isValid = () => {
    const first = node.querySelector("[aria-invalid=true]");
    first?.closest("details")?.setAttribute("open", "");
    first?.focus();
    return !first;
  };
  return { node, content, isValid, isChanged: () => !isEqual(content(), before) };
}

// The form leaves the status of a new location to the API, whose default is active.
function withStatus(location) {
  return location.status === undefined ? { ...location, status: "active" } : location;
}

function metadataEditor(before) {
  const editors = new Map();
  const fields = element("div");
  const others = [...Object.keys(before)].filter((name) => !Object.hasOwn(KERNEL, name));
  for (const name of [...Object.keys(KERNEL), ...others]) append(name, own(before, name));
  const { row, input } = field({ label: say("form-add"), hint: say("form-add-hint"), maxlength: "200", list: "member-names", spellcheck: "false" });
  const known = element("datalist", { id: "member-names" }, ...Object.keys(MEMBERS).map((name) => element("option", { value: name })));
  const button = element("button", { type: "button", class: "quiet", onclick: add }, say("form-add-button"));
  const legend = element("legend", {}, say("form-metadata"));
  const asJson = element("button", { type: "button", class: "quiet", onclick: change }, say("form-json"));
  const node = element("fieldset", {}, legend, fields, element("div", { class: "adding" }, row, known, button), asJson);
  let whole = null; // the editor of all members as JSON

  function append(name, value) {
    const form = own(KERNEL, name) ?? own(MEMBERS, name) ?? {};
    const editor = valueEditor(value, form.label ? say(form.label) : name, form);
    editors.set(name, editor);
    fields.append(editor.node);
    return editor;
  }
  function add() {
    const name = input.value.trim();
    markField(input, name && !editors.has(name) ? "" : say(name ? "form-add-double" : "check-empty"));
    if (!name || editors.has(name)) return input.focus();
    input.value = "";
    const { item, members } = own(MEMBERS, name) ?? {};
    const editor = append(name, item && !members ? [] : undefined);
    editor.focus();
  }
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  });
  function change() {
    whole = jsonEditor(read("/metadata"), say("form-metadata"));
    node.replaceChildren(legend, whole.node);
    whole.focus();
  }
  const read = (pointer) => {
    if (whole) return whole.read(pointer) ?? {};
    const values = [...editors].map(([name, editor]) => [name, editor.read(`${pointer}/${escaped(name)}`)]);
    // A list that was added and stayed empty is left out.
    const isNothing = (value) => value === undefined || (Array.isArray(value) && !value.length);
    const isPresent = ([name, value]) => !isNothing(value) || (value !== undefined && own(before, name) !== undefined);
    return Object.fromEntries(values.filter(isPresent));
  };
  return { node, read };
}

function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
