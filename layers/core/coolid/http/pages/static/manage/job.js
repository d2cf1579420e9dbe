// The page of one job, whose id is in the fragment: what the check found, progress, run, cancel and results.
import { say } from "../words.js";
import { call, failureOf } from "./api.js";
import { busy, confirmed, definitions, element, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";
import { isEnded, isJob, operationName, progressOf, stateName, summary } from "./job-text.js";
import { saveResults } from "./job-results.js";

const INTERVAL = 1_000; // milliseconds between two looks at a running job
const MAX_INTERVAL = 10_000; // after failures
const part = (id) => document.getElementById(id);
const message = part("job-message");
const title = document.title;
let id = "";
let current = null; // the job as it was loaded last
let timer = 0;
let began = null; // {state, done, time} of the first look at the present phase

start(async () => {
  for (const [button, work] of [["run-job", run], ["cancel-job", cancel]]) {
    part(button).addEventListener("click", () => busy(part(button), work));
  }
  for (const kind of ["csv", "excel", "jsonl"]) {
    const button = part(`results-${kind}`);
    button.addEventListener("click", () => busy(button, () => download(kind)));
  }
  window.addEventListener("hashchange", open);
  await open();
});

async function open() {
  clearTimeout(timer);
  id = decoded(location.hash.slice(1));
  began = null;
  part("job").hidden = true;
  notify(message, "", "");
  if (!id) return notify(message, "bad", say("job-none"));
  await look(INTERVAL);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function path(more = "") {
  return `/api/v1/jobs/${encodeURIComponent(id)}${more}`;
}

// Loads the job, and again after a while until it waits for the reader or has ended.
async function look(wait) {
  const own = id;
  let next = INTERVAL;
  try {
    const { document: job } = await call("GET", path(), { isFit: isJob });
    if (own !== id) return;
    current = job;
    show(job);
    if (isEnded(job) || job.state === "previewed") return;
  } catch (wrong) {
    if (own !== id) return;
    const { status } = notifyFailure(message, wrong);
    if (status === 404 || status === 403) return;
    next = Math.min(wait * 2, MAX_INTERVAL);
  }
  clearTimeout(timer);
  timer = setTimeout(() => look(next), next);
}

function show(job) {
  part("job").hidden = false;
  document.title = isEnded(job) || job.state === "previewed" ? `${stateName(job)} – ${title}` : title;
  part("job-operation").textContent = operationName(job);
  const facts = [
    [say("job-prefix"), job.prefix && element("bdi", {}, job.prefix)],
    [say("job-rule"), job.rule && element("bdi", {}, ruleText(job.rule))],
    [say("job-created"), time(job.created)],
    [say("job-expires"), time(job.expires)],
    [say("job-client"), job.client && element("code", {}, job.client)],
  ];
  part("job-facts").replaceChildren(...definitions(facts));
  const sentence = summary(job);
  // Readers of screens hear each change of the state, not each row.
  if (message.dataset.state !== job.state) notify(message, kindOf(job), `${stateName(job)}. ${isRunning(job) ? "" : sentence}`);
  message.dataset.state = job.state;
  showProgress(job, sentence);
  showPreview(job);
  const { succeeded = 0, refused = 0 } = job.counts;
  part("job-results").hidden = !(isEnded(job) && succeeded + refused);
  part("cancel-job").hidden = isEnded(job);
}

function isRunning({ state }) {
  return state === "validating" || state === "running";
}

function kindOf({ state, counts }) {
  if (state === "failed") return "bad";
  if (counts.refused || (state === "previewed" && counts.invalid)) return "bad";
  return state === "done" || state === "previewed" ? "good" : "soft";
}

function ruleText(rule) {
  const [before, after] = rule.pattern ? [rule.pattern, rule.replacement] : [rule.from, rule.to];
  return say("job-rule-text", { before, after });
}

function showProgress(job, sentence) {
  const [done, rows] = progressOf(job);
  part("job-progress").hidden = !isRunning(job);
  const bar = part("job-bar");
  if (rows) Object.assign(bar, { max: rows, value: done });
  else bar.removeAttribute("value");
  if (began?.state !== job.state) began = { state: job.state, done, time: performance.now() };
  const rate = (done - began.done) / (performance.now() - began.time);
  const minutes = Math.ceil((rows - done) / rate / 60_000);
  const left = rows && rate > 0 ? say(minutes > 1 ? "job-left-minutes" : "job-left-minute", { minutes }) : "";
  part("job-line").textContent = `${sentence} ${left}`.trim();
}

// What the check found, with the way on.
function showPreview({ state, counts, errors = [], preview = [], operation, rule }) {
  const { valid = 0, invalid = 0, outside_domains: outside = 0 } = counts;
  const isOpen = state === "previewed";
  part("job-outside").hidden = !outside;
  part("job-outside").textContent = say("job-outside", { number: outside.toLocaleString("en") });
  const columns = [
    { label: say("error-row"), header: true, cell: ({ row }) => String(row) },
    { label: say("error-column"), cell: ({ column }) => element("bdi", {}, column || say("error-whole")) },
    { label: say("error-reason"), cell: ({ reason }) => element("bdi", {}, reason) },
  ];
  const caption = say("error-caption", { shown: errors.length });
  part("job-errors").replaceChildren(...(errors.length ? [table({ caption, columns, rows: errors, class: "stacked" })] : []));
  const changes = [
    { label: say("change-pid"), header: true, cell: ({ pid }) => element("bdi", {}, pid) },
    { label: say("change-before"), cell: ({ before }) => element("bdi", {}, before ?? "") },
    { label: say("change-after"), cell: ({ after }) => element("bdi", {}, after ?? "") },
  ];
  const shown = preview.length && !isEnded({ state });
  part("job-changes").replaceChildren(
    ...(shown ? [table({ caption: say("change-caption"), columns: changes, rows: preview, class: "stacked" })] : []),
  );
  part("job-decision").hidden = !isOpen;
  part("run-job").hidden = !valid;
  const values = { operation: say(`operation-${rule ? "move" : operation}`), valid: valid.toLocaleString("en"), invalid: invalid.toLocaleString("en") };
  part("run-job").textContent = say(invalid ? "run-skip" : "run-all", values);
  part("correct").hidden = !invalid;
}

async function run() {
  const number = (current.counts.valid ?? 0).toLocaleString("en");
  const isFinal = current.operation === "withdraw";
  const question = { title: say("withdraw-all-title", { number }), content: element("p", {}, say("withdraw-all-text")) };
  const answers = { yes: say("withdraw-all-yes"), no: say("withdraw-all-no") };
  if (!isFinal || (await confirmed({ ...question, ...answers }))) await change("POST", path("/run"));
}

async function cancel() {
  const question = { title: say("cancel-job-title"), content: element("p", {}, say("cancel-job-text")) };
  const answers = { yes: say("cancel-job-yes"), no: say("cancel-job-no") };
  if (await confirmed({ ...question, ...answers })) await change("DELETE", path());
}

async function change(method, address) {
  try {
    await call(method, address);
  } catch (wrong) {
    notifyFailure(message, failureOf(wrong));
  }
  await look(INTERVAL);
}

async function download(kind) {
  notify(part("results-message"), "soft", say("results-busy"));
  try {
    await saveResults(current, kind);
    notify(part("results-message"), "good", say("results-saved"));
  } catch (wrong) {
    notifyFailure(part("results-message"), wrong);
  }
}
