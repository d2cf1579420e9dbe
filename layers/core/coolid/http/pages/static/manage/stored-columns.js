// The fields that the reader chose for a header, in this browser. Only names of columns and fields are stored, never
// cells.
const STORE = "coolid-columns";
const MOST_HEADERS = 30;

// Returns the fields chosen before for the same header, or null.
export function storedFields(operation, header) {
  const found = read().find(([key]) => key === keyOf(operation, header))?.[1];
  return Array.isArray(found) && found.length === header.length ? found.map(String) : null;
}

// Keeps the chosen fields, and drops the oldest ones beyond a limit.
export function storeFields(operation, header, fields) {
  const key = keyOf(operation, header);
  const others = read().filter(([other]) => other !== key);
  try {
    localStorage.setItem(STORE, JSON.stringify([[key, fields], ...others].slice(0, MOST_HEADERS)));
  } catch {
    // The browser refuses storage to pages, or it is full.
  }
}

function keyOf(operation, header) {
  return JSON.stringify([operation, ...header]);
}

function read() {
  try {
    const entries = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(entries) ? entries.filter(Array.isArray) : [];
  } catch {
    return [];
  }
}
