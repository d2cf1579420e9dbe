// The choice of a field for each column of a table, with the first cells of each column.
import { base, say } from "../words.js";
import { storedFields, storeFields } from "./stored-columns.js";
import { element, newId, table as tableOf } from "./dom.js";
import { checkFields, guessFields, metadataField, OPERATIONS } from "./fields.js";

const SHOWN_CELLS = 3;
const CELL_CHARACTERS = 80;
let selects = [];

// Shows the columns of a table in `place`, with the fields chosen before, or guessed. `onChange` runs after each choice.
export function showColumns(place, operation, { header, rows }, onChange) {
  const fields = storedFields(operation, header) ?? guessFields(operation, header, rows, base);
  selects = header.map((name, at) => selectOf(operation, name, fields[at], onChange));
  const columns = [
    { label: say("column-name"), header: true, cell: (at) => element("bdi", { id: selects[at].dataset.name }, header[at]) },
    { label: say("column-cells"), cell: (at) => cellsOf(rows, at) },
    { label: say("column-field"), cell: (at) => selects[at] },
  ];
  place.replaceChildren(tableOf({ caption: say("column-caption"), columns, rows: [...header.keys()], class: "stacked columns" }));
}

// Returns the name of a field for people.
function fieldName(field) {
  return field.startsWith("metadata.") ? say("field-metadata", { name: field.slice("metadata.".length) }) : say(`field-${field}`);
}

// Returns the chosen fields of the columns, or the sentences that say why they cannot be used: {fields, wrongs}. `given`
// are fields whose value is chosen elsewhere on the page.
export function chosenFields(operation, given = []) {
  const fields = selects.map(({ value }) => value);
  const { missing, repeated } = checkFields(operation, fields);
  for (const select of selects) select.setAttribute("aria-invalid", String(repeated.includes(select.value)));
  const wrongs = [
    ...missing.filter((field) => !given.includes(field)).map((field) => say("column-missing", { field: fieldName(field) })),
    ...repeated.map((field) => say("column-repeated", { field: fieldName(field) })),
  ];
  return { fields, wrongs };
}

// Keeps the choice for the next file with the same header.
export function keepChoice(operation, header) {
  storeFields(operation, header, selects.map(({ value }) => value));
}

function selectOf(operation, name, chosen, onChange) {
  const { fields, open } = OPERATIONS[operation];
  const own = open ? [metadataField(name)] : [];
  const offered = [...new Set([...fields, ...own, chosen])].filter(Boolean);
  const options = ["", ...offered].map((field) => {
    return element("option", { value: field }, field ? fieldName(field) : say("field-none"));
  });
  const label = newId("column");
  const select = element("select", { "aria-labelledby": label, "data-name": label, onchange: onChange }, ...options);
  select.value = chosen;
  return select;
}

function cellsOf(rows, at) {
  const cells = rows.map((row) => row[at] ?? "").filter(Boolean).slice(0, SHOWN_CELLS);
  const shown = cells.map((cell) => (cell.length > CELL_CHARACTERS ? `${cell.slice(0, CELL_CHARACTERS)}…` : cell));
  return element("ul", { class: "plain soft" }, ...shown.map((cell) => element("li", {}, element("bdi", {}, cell))));
}
