// The results of a job as a file: the given columns with the PID, the status and the error of each row. The key goes with
// the request, not into an address.
import { base, say } from "../words.js";
import { Failure, withKey } from "./api.js";
import { saveFile } from "./dom.js";
import { BYTE_ORDER_MARK, excelSeparator } from "./excel.js";
import { convertedTable } from "./tables.js";

// Loads the results and lets the reader save them: as "csv", "jsonl", or "excel", which is CSV for this reader's Excel.
export async function saveResults({ id, operation }, kind) {
  const format = kind === "jsonl" ? "jsonl" : "csv";
  const file = await withKey((key) => loaded(key, `${base}/api/v1/jobs/${encodeURIComponent(id)}/results?format=${format}`));
  const name = `${operation}-${id}.${format}`;
  if (kind !== "excel") return saveFile(name, file);
  const table = await convertedTable(file, "utf-8", {}, excelSeparator());
  return saveFile(name, new Blob([BYTE_ORDER_MARK, table], { type: "text/csv;charset=utf-8" }));
}

// A large file is redirected to another host, to which browsers do not send the key.
async function loaded(key, url) {
  const answer = await requested(key, url);
  if (!answer.ok) throw new Failure(say("results-refused", { status: answer.status }), answer.status);
  return await answer.blob();
}

async function requested(key, url) {
  try {
    return await fetch(url, { headers: { Authorization: `Bearer ${key}` }, cache: "no-store", credentials: "omit" });
  } catch {
    throw new Failure(say("service-silent"));
  }
}
