// What a file is, and its text. Spreadsheet programs write CSV in several encodings; other files are dropped by mistake.

const HEAD_BYTES = 65_536;

// The encodings offered for a file that is not Unicode, by their names in the Encoding Standard.
export const LEGACY_ENCODINGS = ["windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254", "macintosh"];

const BYTE_ORDER_MARKS = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
const SIGNATURES = [
  ["archive", [0x50, 0x4b, 0x03, 0x04]],
  ["workbook", [0xd0, 0xcf, 0x11, 0xe0]],
  ["archive", [0x1f, 0x8b]],
  ["document", [0x25, 0x50, 0x44, 0x46]],
  ["document", [0x7b, 0x5c, 0x72, 0x74, 0x66]],
];
const WORKBOOKS = /\.(xlsx|xlsm|xlsb|xls|ods|numbers)$/i;

// Returns {kind, encoding} of a file: kind is "csv" or "jsonl", or the reason why it cannot be used: "empty",
// "workbook", "archive", "document", "markup", "array" or "binary".
export async function examine(file) {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const foreign = SIGNATURES.find(([, signature]) => begins(head, signature))?.[0];
  if (foreign) return { kind: foreign === "archive" && WORKBOOKS.test(file.name) ? "workbook" : foreign };
  const encoding = unicodeOf(head) ?? ((await isUtf8(file)) ? "utf-8" : LEGACY_ENCODINGS[0]);
  if (!encoding.startsWith("utf-16") && head.includes(0)) return { kind: "binary" };
  const start = new TextDecoder(encoding).decode(head).trimStart();
  return { kind: kindOf(start), encoding };
}

// Returns the text of a file in pieces, without a byte order mark. Invalid bytes become U+FFFD.
export async function* textOf(file, encoding, options = {}) {
  const decoder = new TextDecoder(encoding, options);
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
    if (text) yield text;
    if (done) return;
  }
}

function kindOf(start) {
  if (!start) return "empty";
  if (/^<(!doctype|\?xml|html|table)/i.test(start)) return "markup";
  if (start.startsWith("[")) return /^\[\s*[{\]]/.test(start) ? "array" : "csv";
  return start.startsWith("{") ? "jsonl" : "csv";
}

function begins(bytes, signature) {
  return signature.every((byte, at) => bytes[at] === byte);
}

// Without a byte order mark, every second byte of UTF-16 is zero for most letters, spaces and separators.
function unicodeOf(head) {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => begins(head, mark))?.[0];
  if (marked) return marked;
  const zeros = [0, 0];
  head.forEach((byte, at) => { zeros[at % 2] += byte === 0 });
  const [even, odd] = zeros.map((number) => number / (head.length / 2));
  if (odd > 0.3 && even < 0.05) return "utf-16le";
  if (even > 0.3 && odd < 0.05) return "utf-16be";
  return undefined;
}

async function isUtf8(file) {
  try {
    for await (const _ of textOf(file, "utf-8", { fatal: true }));
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error; // the file cannot be read
  }
}
