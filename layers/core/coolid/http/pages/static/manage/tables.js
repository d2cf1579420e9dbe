// Tables of people, from CSV or JSON Lines: looked through once, then converted to what the service reads. A file is
// read in pieces, because it can be larger than the memory of a browser.
import { CsvReader, separatorOf, withoutInstruction, written } from "./csv.js";
import { textOf } from "./file-kinds.js";

const SHOWN_ROWS = 5;
const PIECE_CHARACTERS = 1_000_000;
const SHOWN_OBJECTS = 100; // whose members are columns: objects need not have all of them
const SAMPLE_CHARACTERS = 20_000;
const TOP_MEMBERS = ["pid", "uri", "id", "prefix", "status", "ttl", "reason", "successor", "state"]; // others are metadata

// Looks through a file of CSV. Returns {header, rows, count, blanks, special, isOpen}: the columns' names, the first rows,
// the number of rows and of empty ones between them, a cell with letters beyond ASCII or "", and the row whose quotes are
// never closed, or 0.
export async function readTable(file, encoding) {
  const table = { header: [], rows: [], count: 0, special: "", isOpen: 0 };
  const reader = await forEachRow(file, encoding, (row) => {
    if (!table.header.length) {
      table.header = headerOf(row);
      return;
    }
    table.count += 1;
    if (table.rows.length < SHOWN_ROWS) table.rows.push(fitted(row, table.header.length));
    table.special ||= row.find((cell) => /[^\x00-\x7f]/.test(cell)) ?? "";
  });
  if (reader.isQuoted) table.isOpen = table.count;
  return { ...table, blanks: reader.blanks };
}

// Returns the file as CSV in UTF-8 with commas or another separator, as a Blob. `added` are cells for each row under new
// names: {name: cell}.
export async function convertedTable(file, encoding, added = {}, separator = ",") {
  const parts = [];
  let width = 0;
  let text = "";
  await forEachRow(file, encoding, (row) => {
    const cells = width ? fitted(row, width) : headerOf(row);
    text += written([...cells, ...(width ? Object.values(added) : Object.keys(added))], separator);
    width ||= cells.length;
    if (text.length > PIECE_CHARACTERS) {
      parts.push(new Blob([text]));
      text = "";
    }
  });
  return new Blob([...parts, text], { type: "text/csv" });
}

// Returns what `readTable` does, for JSON Lines: the columns are the members of the first objects.
export async function readObjects(file, encoding) {
  const table = { header: [], rows: [], count: 0, blanks: 0, special: "", isOpen: 0 };
  const objects = [];
  await forEachLine(file, encoding, (line) => {
    table.count += 1;
    table.special ||= /[^\x00-\x7f]/.test(line) ? line : "";
    if (objects.length < SHOWN_OBJECTS) objects.push(new Map(membersOf(parsed(line) ?? {})));
  });
  table.header = [...new Set(objects.flatMap((members) => [...members.keys()]))];
  const cell = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");
  table.rows = objects.slice(0, SHOWN_ROWS).map((members) => table.header.map((name) => cell(members.get(name))));
  return table;
}

// Returns the file as JSON Lines in UTF-8, with the members of each object under the names of their `fields`; a member
// with the field "" is left out. `added` are members of each object.
export async function convertedObjects(file, encoding, fields, added = {}) {
  const parts = [];
  let text = "";
  await forEachLine(file, encoding, (line) => {
    const object = parsed(line);
    text += `${object ? JSON.stringify({ ...renamed(object, fields), ...added }) : line}\n`;
    if (text.length > PIECE_CHARACTERS) parts.push(new Blob([text]));
    if (text.length > PIECE_CHARACTERS) text = "";
  });
  return new Blob([...parts, text], { type: "application/jsonl" });
}

// Calls `take` with each row that has a cell. Spreadsheet programs write empty rows, mostly at the end.
async function forEachRow(file, encoding, take) {
  let reader;
  let sample = "";
  let waiting = 0;
  let blanks = 0;
  const pass = (row) => {
    const isBlank = !row.some((cell) => cell.trim());
    if (isBlank) return void (waiting += 1);
    blanks += waiting;
    waiting = 0;
    return take(row);
  };
  const begin = () => {
    reader = new CsvReader(separatorOf(sample));
    reader.read(withoutInstruction(sample)).forEach(pass);
  };
  for await (const piece of textOf(file, encoding)) {
    if (reader) reader.read(piece).forEach(pass);
    else if ((sample += piece).length > SAMPLE_CHARACTERS) begin();
  }
  if (!reader) begin();
  reader.finish().forEach(pass);
  return { isQuoted: reader.isQuoted, blanks };
}

async function forEachLine(file, encoding, take) {
  let rest = "";
  for await (const piece of textOf(file, encoding)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    lines.filter((line) => line.trim()).forEach(take);
  }
  if (rest.trim()) take(rest);
}

// Returns the names of columns: none is empty, and each differs from the others.
function headerOf(row) {
  const names = [];
  row.forEach((cell, at) => {
    const name = cell.replaceAll(/\s+/g, " ").trim() || `Column ${letters(at)}`;
    let unique = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name} ${number}`;
    names.push(unique);
  });
  return names;
}

// The letters of a column in spreadsheets, from 0: A, B, … Z, AA.
function letters(at) {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letters(Math.floor(at / 26) - 1) + last;
}

// Returns the row with as many cells as the header. Cells beyond it remain if one of them has content.
function fitted(row, width) {
  const cells = [...row];
  while (cells.length > width && !cells.at(-1).trim()) cells.pop();
  while (cells.length < width) cells.push("");
  return cells;
}

function parsed(line) {
  try {
    const object = JSON.parse(line);
    return typeof object === "object" && !Array.isArray(object) ? object : null;
  } catch {
    return null;
  }
}

// The members of an object as pairs, with those of its metadata as metadata.NAME.
function membersOf({ metadata, ...members }) {
  const isNested = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  const inner = isNested ? Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]) : [];
  return [...Object.entries(members), ...inner];
}

// An unknown member keeps its name, so that the service can say that it is unknown.
function renamed(object, fields) {
  const result = {};
  for (const [name, value] of membersOf(object)) {
    const field = fields[name] ?? name;
    if (TOP_MEMBERS.includes(field) || !(name in fields)) result[field] = value;
    else if (field) result.metadata = { ...result.metadata, [field.replace(/^metadata\./, "")]: value };
  }
  return result;
}
