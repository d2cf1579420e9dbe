// The overview: what needs attention, and what the key of the session may do.
import { base, say } from "../words.js";
import { listPath, page, refresh } from "./api.js";
import { definitions, element, notify, notifyFailure, time } from "./dom.js";
import { start } from "./gate.js";
import { isEnded, jobLink, operationName, summary } from "./job-text.js";
import { ownNamespaces } from "./namespaces.js";
import { scopeText } from "./scope-text.js";
import { isAdmin } from "./session.js";

const LIMIT = 50;
const HEALTH = ["down", "moved"];
const MANAGE = `${base}/pages/manage`;
const status = document.getElementById("overview-message");

start(async (client) => {
  show(client);
  notify(status, "soft", say("overview-busy"));
  try {
    const own = await refresh();
    show(own);
    await showAttention(own);
  } catch (wrong) {
    notifyFailure(status, wrong);
  }
});

// Shows what could be found, even if a request fails.
async function showAttention(own) {
  const found = await Promise.allSettled([missingPrefix(), openJobs(own), ...HEALTH.map(badLinks)]);
  const items = found.flatMap(({ value = [] }) => value);
  document.getElementById("attention-list").replaceChildren(...items.map((each) => element("li", {}, ...each)));
  notify(status, "soft", items.length ? "" : say("overview-nothing"));
  const failed = found.find(({ reason }) => reason);
  if (failed) throw failed.reason;
}

function show(client) {
  const scopes = client.scopes.map((scope) => element("li", {}, scopeText(scope)));
  document.getElementById("own-scopes").replaceChildren(...scopes);
  const { minute, day } = client.quota ?? {};
  const facts = [
    [say("overview-created"), time(client.created)],
    [say("overview-minute"), minute],
    [say("overview-day"), day],
  ];
  document.getElementById("own-facts").replaceChildren(...definitions(facts));
}

// Each of these returns items of the list: arrays of their content.
async function missingPrefix() {
  if ((await ownNamespaces()).length) return [];
  if (!isAdmin()) return [[say("overview-no-prefix")]];
  return [[say("overview-first-prefix"), " ", element("a", { href: `${MANAGE}/repositories` }, say("overview-create"))]];
}

async function openJobs({ id }) {
  const { members } = await page(listPath("/api/v1/jobs", { limit: LIMIT }), "jobs");
  const open = members.filter(({ client, state }) => client === id && !isEnded({ state }));
  return open.map((job) => [jobLink(job, operationName(job)), `: ${summary(job)}`]);
}

async function badLinks(health) {
  const { members, next } = await page(listPath("/api/v1/records", { health, limit: LIMIT }), "records");
  if (!members.length) return [];
  const many = say(`overview-${health}-${next ? "more" : "many"}`, { number: members.length });
  return [[element("a", { href: `${MANAGE}/records#health=${health}` }, members.length === 1 ? say(`overview-${health}-one`) : many)]];
}
