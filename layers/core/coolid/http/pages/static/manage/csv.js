// CSV (RFC 4180) with any separator, read in pieces and written with commas. It reads what spreadsheet programs write:
// every line end, quotes in unquoted cells, and a first line such as sep=;.

const [QUOTE, LF, CR] = ['"', "\n", "\r"].map((each) => each.charCodeAt(0));
const SEPARATORS = [",", ";", "\t", "|"];
const INSTRUCTION = /^sep=(.)\r?\n/i;

// Reads rows from the pieces of a text: `read` returns the rows that end in a piece, `finish` the last ones. A row is a
// list of cells; a blank line is [""].
export class CsvReader {
  constructor(separator) {
    this.separator = separator.charCodeAt(0);
    this.row = [];
    this.cell = "";
    this.isQuoted = false; // inside quotes
    this.isClosed = false; // directly after a closing quote
    this.isAfterReturn = false;
  }

  read(text) {
    const rows = [];
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.isQuoted) {
        if (code !== QUOTE) continue;
        this.cell += text.slice(start, at);
        start = at + 1;
        [this.isQuoted, this.isClosed] = [false, true];
      } else if (code === LF && this.isAfterReturn) {
        start = at + 1;
      } else if (code === QUOTE && (this.isClosed || (!this.cell && start === at))) {
        if (this.isClosed) this.cell += '"';
        start = at + 1;
        [this.isQuoted, this.isClosed] = [true, false];
      } else if (code === this.separator || code === LF || code === CR) {
        this.endCell(text.slice(start, at));
        start = at + 1;
        if (code !== this.separator) rows.push(this.endRow());
      } else {
        this.isClosed = false;
      }
      this.isAfterReturn = code === CR;
    }
    this.cell += text.slice(start);
    return rows;
  }

  // `isQuoted` is true afterwards if the file ends inside quotes.
  finish() {
    if (!this.cell && !this.row.length && !this.isClosed && !this.isQuoted) return [];
    this.endCell("");
    return [this.endRow()];
  }

  endCell(rest) {
    this.row.push(this.cell + rest);
    this.cell = "";
    this.isClosed = false;
  }

  endRow() {
    const { row } = this;
    this.row = [];
    return row;
  }
}

// Returns the separator of a text, by its instruction or by the cells of its first rows.
export function separatorOf(text) {
  const instruction = INSTRUCTION.exec(text);
  if (instruction) return instruction[1];
  const weights = SEPARATORS.map((separator) => weightOf(text, separator));
  return SEPARATORS[weights.indexOf(Math.max(...weights))];
}

// Returns the text without its instruction.
export function withoutInstruction(text) {
  return text.replace(INSTRUCTION, "");
}

// Returns a row as CSV.
export function written(row, separator = ",") {
  const cells = row.map((cell) => (/^\s|[",;\t\r\n|]|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${row.length === 1 && !row[0] ? '""' : cells.join(separator)}\r\n`;
}

// The number of separators in the header, weighted by the rows that have as many: one within cells varies by row.
function weightOf(text, separator) {
  const reader = new CsvReader(separator);
  const complete = reader.read(text);
  const rows = complete.length ? complete : reader.finish();
  const [header, ...others] = rows.filter((row) => row.some(Boolean)).slice(0, 5);
  if (!header) return 0;
  const even = others.filter((row) => row.length === header.length);
  return (header.length - 1) * (0.1 + (others.length ? even.length / others.length : 1));
}
