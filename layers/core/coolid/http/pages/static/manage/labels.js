// A sheet of labels: QR codes with titles and PIDs, printed by the browser. The pictures come from this service.
import { say } from "../words.js";
import { failureOf, loadRecord, recordPath } from "./api.js";
import { counted, element, notify, notifyFailure } from "./dom.js";
import { start } from "./gate.js";
import { summary } from "./record-summary.js";
import { stored } from "./session.js";

// The labels on a sheet; labels.css has their sizes.
const SHEETS = { "a4-21": 21, "a4-14": 14, "a4-24": 24, "a4-65": 65, "letter-30": 30, "letter-10": 10 };
const MOST = 1000;
const part = (id) => document.getElementById(id);
const known = new Map(); // summaries by PID

start(async () => {
  for (const each of stored("selection") ?? []) known.set(each.pid, each);
  part("label-pids").value = [...known.keys()].join("\n");
  part("label-form").addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  for (const id of ["label-sheet", "label-copies", "label-skip"]) part(id).addEventListener("change", update);
  part("label-print").addEventListener("click", () => window.print());
  if (known.size) await update();
});

async function update() {
  if (!part("label-form").reportValidity()) return;
  notify(part("label-message"), "soft", say("labels-busy"));
  part("label-wrong").textContent = "";
  const lines = part("label-pids").value.split("\n").map((line) => line.trim()).filter(Boolean);
  try {
    const wrong = lines.length > MOST ? [say("labels-many-lines", { most: MOST })] : await loadMissing(lines);
    part("label-wrong").textContent = wrong.join(" ");
    draw(lines.slice(0, MOST).map((line) => known.get(line)).filter(Boolean));
  } catch (wrong) {
    notifyFailure(part("label-message"), wrong);
  }
}

// Loads the records that no selection named. Returns a sentence for each line that leads to none.
async function loadMissing(lines) {
  const wrong = [];
  for (const line of lines.filter((each) => !known.has(each))) {
    try {
      const { record } = await loadRecord(recordPath(line));
      known.set(line, summary(record));
    } catch (failed) {
      const { status, sentence } = failureOf(failed);
      if (status === 0 || status === 429 || status >= 500) throw failed;
      wrong.push(say("labels-wrong", { line, why: sentence }));
    }
  }
  return wrong;
}

function draw(all) {
  // A reserved identifier leads nowhere yet, and has no QR code.
  const records = all.filter(({ status }) => status !== "reserved");
  const sheet = part("label-sheet").value;
  const copies = records.flatMap((record) => Array(Number(part("label-copies").value)).fill(record));
  const empty = Array(Math.min(Number(part("label-skip").value), SHEETS[sheet] - 1)).fill(null);
  const cells = [...empty, ...copies].map((record) => (record ? label(record) : element("div", { class: "label" })));
  const pages = [];
  for (let at = 0; at < cells.length && copies.length; at += SHEETS[sheet]) {
    pages.push(element("div", { class: `sheet ${sheet}` }, ...cells.slice(at, at + SHEETS[sheet])));
  }
  part("sheets").replaceChildren(...pages);
  part("label-print").disabled = !copies.length;
  const left = all.length - records.length;
  const more = left ? [counted(left, "labels-reserved-one", "labels-reserved-many")] : [];
  notify(part("label-message"), "", copies.length ? counted(copies.length, "labels-one", "labels-many") : say("labels-none"), more);
}

function label({ pid, title: name, address }) {
  const image = element("img", { alt: say("labels-qr", { pid }), width: "100", height: "100", loading: "eager" });
  image.src = `${address}?format=qr`;
  const text = [name && element("span", { class: "label-title" }, name), element("span", { class: "label-pid" }, pid.replace(/^https?:\/\//, ""))];
  return element("div", { class: "label" }, image, element("span", { class: "label-text" }, ...text.filter(Boolean)));
}
