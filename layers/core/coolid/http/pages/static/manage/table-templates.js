// Tables to begin with, one for each operation: the names of the columns, and an example.
import { base } from "../words.js";
import { written } from "./csv.js";
import { saveFile } from "./dom.js";
import { BYTE_ORDER_MARK, excelSeparator } from "./excel.js";

const PID = `${base}/ark:99999/fk4`;
const TEMPLATES = {
  __proto__: null,
  mint: [["uri", "what", "who", "when"], ["https://photos.example.org/1", "Harbour, west side", "Lind, Anna", "1931"]],
  retarget: [["pid", "uri"], [`${PID}8zk3t2`, "https://new.example.org/1"]],
  update: [["pid", "what", "who", "when"], [`${PID}8zk3t2`, "Harbour from the west", "Lind, Anna", "1931"]],
  withdraw: [["pid", "reason", "successor"], [`${PID}8zk3t2`, "A duplicate", `${PID}b7m1x9`]],
  reserve: [["what", "who", "when"], ["Market square", "Lind, Anna", "1932"]],
  publish: [["pid"], [`${PID}8zk3t2`]],
};

// Lets the reader save the table of an operation, which Excel opens.
export function saveTemplate(operation) {
  const lines = TEMPLATES[operation].map((row) => written(row, excelSeparator()));
  saveFile(`coolid-${operation}.csv`, new Blob([BYTE_ORDER_MARK, ...lines], { type: "text/csv;charset=utf-8" }));
}
