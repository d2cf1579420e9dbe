// The file of the bulk page: looked through, with the number of its rows or the reason why it cannot be used.
import { say } from "../words.js";
import { counted, element, notify } from "./dom.js";
import { examine, LEGACY_ENCODINGS } from "./file-kinds.js";
import { convertedObjects, convertedTable, readObjects, readTable } from "./tables.js";
import { MAX_BYTES } from "./uploads.js";

const SAMPLE_CHARACTERS = 200;
const part = (id) => document.getElementById(id);
let latest = 0; // files read so far: an earlier one may take longer

// Reads a file, in an encoding if the reader chose one. Shows what it is, and returns it as {file, kind, encoding, header,
// rows, count, …}, null if it cannot be used, or undefined if another was chosen meanwhile.
export async function readFile(file, chosenEncoding) {
  const turn = (latest += 1);
  notify(part("file-message"), "soft", file ? say("file-busy") : "");
  const { table = null, why = "" } = file ? await tableOf(file, chosenEncoding) : {};
  if (turn !== latest) return undefined;
  if (file) notify(part("file-message"), why ? "bad" : "good", why || rowsOf(table));
  if (!chosenEncoding) offerEncodings(table?.encoding);
  part("encoding-sample").textContent = table?.special.slice(0, SAMPLE_CHARACTERS) ?? "";
  return table;
}

// Returns what is sent to the service for a table, {columns, file}. `fields` are those of the columns, `added` has values
// for all rows: {field: value}. Objects are sent under the names of fields, because only CSV has columns.
export async function convert({ file, kind, encoding, header }, fields, added) {
  const columns = Object.fromEntries(header.map((name, at) => [name, fields[at]]));
  if (kind === "jsonl") return { file: await convertedObjects(file, encoding, columns, added) };
  const cells = Object.fromEntries(Object.entries(added).map(([field, value]) => [say(`added-${field}`), value]));
  for (const field of Object.keys(added)) columns[say(`added-${field}`)] = field;
  return { columns, file: await convertedTable(file, encoding, cells) };
}

function rowsOf({ count, blanks }) {
  return [counted(count, "file-row", "file-rows"), blanks ? say("file-blanks") : ""].join(" ").trim();
}

async function tableOf(file, chosenEncoding) {
  if (file.size > MAX_BYTES) return { why: say("file-large") };
  try {
    const { kind, encoding: found } = await examine(file);
    if (kind !== "csv" && kind !== "jsonl") return { why: say(`file-${kind}`) };
    const encoding = chosenEncoding ?? found;
    const table = await (kind === "csv" ? readTable : readObjects)(file, encoding);
    if (table.isOpen) return { why: say("file-open-quote", { row: table.isOpen }) };
    if (!table.count || !table.header.length) return { why: say("file-no-rows") };
    return { table: { ...table, file, kind, encoding } };
  } catch (error) {
    console.error(error);
    return { why: say("file-unreadable") };
  }
}

// Nothing in a file says which of the encodings before Unicode it has.
function offerEncodings(encoding) {
  const select = part("encoding");
  if (!select.options.length) {
    select.append(...LEGACY_ENCODINGS.map((name) => element("option", { value: name }, say(`encoding-${name}`))));
  }
  const isLegacy = LEGACY_ENCODINGS.includes(encoding);
  part("encoding-row").hidden = !isLegacy;
  if (isLegacy) select.value = encoding;
}
