// What lists and labels show of records: titles, hosts of targets, and rows of CSV.
import { base } from "../words.js";
import { written } from "./csv.js";

const COLUMNS = ["pid", "status", "uri", "what", "who", "when", "updated", "version"];
const TITLES = ["what", "title", "titles", "name"];

// Returns the first text in a value of the metadata: a text, a list, or an object with a title or a name.
export function textOf(value) {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join("; ");
  return value ? textOf(value.title ?? value.name ?? value.value ?? "") : "";
}

// Returns the title of a record, or an empty text.
export function title({ metadata = {} }) {
  return TITLES.map((name) => textOf(metadata[name])).find((text) => text.trim()) ?? "";
}

// Returns the address of a record at this service, whatever its issuer.
export function localAddress({ pid, issuer }) {
  return pid.startsWith(`${issuer}/`) ? base + pid.slice(issuer.length) : pid;
}

// Returns what one page hands to another of a record.
export function summary(record) {
  return { pid: record.pid, status: record.status, title: title(record), address: localAddress(record) };
}

// Returns the host of the first target, and how many others there are: "example.org +1".
export function targetHost(records) {
  if (!records.length) return "";
  const more = records.length > 1 ? ` +${records.length - 1}` : "";
  return `${/^[a-z]+:\/\/([^/?#]*)/i.exec(records[0].uri)?.[1] ?? records[0].uri}${more}`;
}

// Returns records as CSV (RFC 4180), with the columns that bulk jobs understand. An apostrophe precedes each cell that
// begins like a formula, so that a spreadsheet shows it as text (coolid/http/formats/csv.py).
export function toCsv(records) {
  const rows = records.map((record) => {
    const { pid, status, updated, version, records: locations, metadata } = record;
    const values = { pid, status, uri: locations[0]?.uri ?? "", what: title(record), updated, version };
    return COLUMNS.map((name) => values[name] ?? textOf(metadata[name]));
  });
  return [COLUMNS, ...rows].map((row) => written(row.map(guarded))).join("");
}

function guarded(value) {
  return String(value).replace(/^[-=+@\t\r\n]/, "'$&");
}
