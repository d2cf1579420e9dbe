// The list of jobs, newest first.
import { say } from "../words.js";
import { listPath, page } from "./api.js";
import { busy, element, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";
import { jobLink, operationName, stateName, summary } from "./job-text.js";
import { isAdmin } from "./session.js";

const part = (id) => document.getElementById(id);
const more = part("more-jobs");
let shown = [];
let cursor = null;

start(async () => {
  more.addEventListener("click", () => busy(more, load));
  part("refresh-jobs").addEventListener("click", () => busy(part("refresh-jobs"), again));
  await again();
});

async function again() {
  [shown, cursor] = [[], null];
  await load();
}

async function load() {
  try {
    const { members, next } = await page(listPath("/api/v1/jobs", { cursor }), "jobs");
    shown = [...shown, ...members];
    cursor = next;
    show();
  } catch (wrong) {
    notifyFailure(part("jobs-message"), wrong);
  }
}

function show() {
  const columns = [
    { label: say("jobs-operation"), header: true, cell: (job) => jobLink(job, operationName(job)) },
    { label: say("jobs-prefix"), cell: (job) => (job.prefix ? element("bdi", {}, job.prefix) : "") },
    { label: say("jobs-state"), cell: stateName },
    { label: say("jobs-result"), cell: summary },
    { label: say("jobs-created"), cell: (job) => time(job.created) },
    ...(isAdmin() ? [{ label: say("jobs-client"), cell: (job) => element("code", {}, job.client ?? "") }] : []),
  ];
  const list = table({ caption: say("jobs-caption"), columns, rows: shown, class: "stacked" });
  part("jobs").replaceChildren(...(shown.length ? [list] : []));
  part("no-jobs").hidden = shown.length > 0;
  more.hidden = !cursor;
  notify(part("jobs-message"), "", "");
}
