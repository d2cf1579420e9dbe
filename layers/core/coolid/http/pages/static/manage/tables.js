// Tables of people, from CSV or JSON Lines: looked through once, then converted to what the service reads. A file is
// read in pieces, because it can be larger than the memory of a browser.
import { CsvReader, separatorOf, withoutInstruction, written } from "./csv.js";
import { textOf } from "./file-kinds.js";

const SHOWN_ROWS = 5;
const PIECE_CHARACTERS = 1_000_000;
const SAMPLE_CHARACTERS = 20_000;

// Looks through a file of CSV. Returns {header, rows, count, special, isOpen}: the columns' names, the first rows, the
// number of rows, a cell with letters beyond ASCII or "", and the row whose quotes are never closed, or 0.
export async function readTable(file, encoding) {
  const table = { header: [], rows: [], count: 0, special: "", separator: ",", isOpen: 0 };
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
  return table;
}

// Returns the file as CSV in UTF-8 with commas or another separator, as a Blob. `added` are cells for each row under new
// names: {name: cell}.
export async function convertedTable(file, encoding, added = {}, separator = ",") {
  const parts = [];
  let width = 0;
  let text = "";
  await forEachRow(file, encoding, (row) => {
    const cells = width ? fitted(row, width) : headerOf(row);
    const isBlank = !cells.some(Boolean);
    text += isBlank ? "\r\n" : written([...cells, ...(width ? Object.values(added) : Object.keys(added))], separator);
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
  const table = { header: [], rows: [], count: 0, special: "", isOpen: 0 };
  const names = new Set();
  const objects = [];
  let rest = "";
  const take = (line) => {
    if (!line.trim()) return;
    table.count += 1;
    table.special ||= /[^\x00-\x7f]/.test(line) ? line : "";
    if (objects.length < SHOWN_ROWS) objects.push(membersOf(line, names));
  };
  for await (const piece of textOf(file, encoding)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    lines.forEach(take);
  }
  take(rest);
  table.header = [...names];
  table.rows = objects.map((object) => table.header.map((name) => object[name] ?? ""));
  return table;
}

// Returns the file in UTF-8.
export async function convertedText(file, encoding, type) {
  if (encoding === "utf-8") return file.slice(0, file.size, type);
  const parts = [];
  for await (const piece of textOf(file, encoding)) parts.push(new Blob([piece]));
  return new Blob(parts, { type });
}

// Calls `take` with each row. Empty rows at the start and the end are left out, because spreadsheet programs write them;
// others are passed on as [""], so that the numbers of rows remain those of the file.
async function forEachRow(file, encoding, take) {
  let reader;
  let sample = "";
  let blanks = [];
  let isBegun = false;
  const pass = (row) => {
    if (row.some((cell) => cell.trim())) {
      blanks.splice(0).forEach(take);
      take(row);
      isBegun = true;
    } else if (isBegun) {
      blanks.push([""]);
    }
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
  return reader;
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

function membersOf(line, names) {
  let object;
  try {
    object = JSON.parse(line);
  } catch {
    return {};
  }
  const { metadata, ...members } = object ?? {};
  for (const [name, value] of Object.entries(metadata ?? {})) members[`metadata.${name}`] = value;
  const texts = Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  for (const [name] of texts) names.add(name);
  return Object.fromEntries(texts);
}
