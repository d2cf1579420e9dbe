// CSV that Excel opens as a table, and files to save.

// Without it, Excel reads UTF-8 as another encoding.
export const BYTE_ORDER_MARK = "\ufeff";

// Returns the separator that Excel expects: a semicolon where decimals have a comma.
export function excelSeparator() {
  return (0.5).toLocaleString().includes(",") ? ";" : ",";
}

// Lets the reader save a Blob. The URL remains for a while, because browsers may read a large file later.
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
