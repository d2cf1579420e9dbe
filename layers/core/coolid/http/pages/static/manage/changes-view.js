// Tables of differences between versions of a record's content, in words.
import { say } from "../words.js";
import { unescaped } from "./changes.js";
import { element, table } from "./dom.js";
import { KERNEL, locationsForm } from "./record-fields.js";

const LOCATION = locationsForm([]).item.members;
const WHOLE = { __proto__: null, records: "form-targets", alternates: "form-alternates", status: "records-status", ttl: "form-ttl" };

// Returns the name of a part, such as “Title” for /metadata/what.
export function partName(pointer) {
  const [, group, name, member] = pointer.split("/").map(unescaped);
  if (group === "metadata") return Object.hasOwn(KERNEL, name) ? say(KERNEL[name].label) : name;
  if (member === undefined) return WHOLE[group] ? say(WHOLE[group]) : pointer;
  const label = Object.hasOwn(LOCATION, member) ? say(LOCATION[member].label) : member;
  return say("part-location", { number: Number(name) + 1, label });
}

// Returns a value as an element: a text as it is, locations one per line, anything else as JSON.
export function valueView(value) {
  if (value === undefined || value === null || value === "") return element("span", { class: "soft" }, say("part-none"));
  if (typeof value === "string") return element("span", { class: "value" }, value);
  if (Array.isArray(value) && value.length && value.every((each) => typeof each?.uri === "string")) {
    return element("ul", { class: "plain" }, ...value.map(({ uri, ...others }) => element("li", {}, uri, rest(others))));
  }
  return element("code", { class: "value" }, JSON.stringify(value, null, 1));
}

function rest({ status, ...others }) {
  const texts = [status === "active" ? "" : status, ...Object.values(others).filter((each) => typeof each === "string")];
  const text = texts.filter(Boolean).join(", ");
  return text && element("span", { class: "soft" }, ` (${text})`);
}

// Returns the table of differences [{pointer, before, after}].
export function differenceTable(differences, caption) {
  const columns = [
    { label: say("part-name"), header: true, cell: ({ pointer }) => partName(pointer) },
    { label: say("part-before"), cell: ({ before }) => valueView(before) },
    { label: say("part-after"), cell: ({ after }) => valueView(after) },
  ];
  return table({ caption, columns, rows: differences, class: "changes" });
}
