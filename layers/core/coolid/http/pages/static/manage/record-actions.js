// Actions on a whole record: withdraw it, publish a reserved one, show its history, restore a version.
import { say } from "../words.js";
import { allMembers, call, Failure, isRecord } from "./api.js";
import { contentOf, custodyOf, differences } from "./changes.js";
import { differenceTable } from "./changes-view.js";
import { confirmed, element, field, notifyFailure, time } from "./dom.js";
import { saveContent, write } from "./record-save.js";

// Asks for the reason, and withdraws the version that was opened. Returns {record, tag}, or null.
export async function withdraw(path, { record, tag }) {
  const reason = field({ label: say("withdraw-reason"), hint: say("withdraw-reason-hint"), pointer: "/reason", maxlength: "500", required: true });
  const successor = field({ label: say("withdraw-successor"), hint: say("withdraw-successor-hint"), pointer: "/successor", maxlength: "2048", spellcheck: "false" });
  const states = ["", "revoked"].map((each) => element("option", { value: each }, say(`withdraw-state-${each || "thing"}`)));
  const state = field({ label: say("withdraw-state"), pointer: "/state", name: "select" }, ...states);
  const message = element("div", { role: "alert" });
  const content = element("div", {}, element("p", {}, say("withdraw-intro", { pid: record.pid })), reason.row, successor.row, state.row, message);
  let done = null;
  const act = async () => {
    const body = { reason: reason.input.value.trim() };
    if (successor.input.value.trim()) body.successor = successor.input.value.trim();
    if (state.input.value) body.state = state.input.value;
    try {
      const isFit = (answer) => isRecord(answer) && answer.status === "withdrawn";
      const { document, headers } = await call("DELETE", path, { body, tag, isFit });
      done = { record: document, tag: headers.get("ETag") };
      return true;
    } catch (wrong) {
      notifyFailure(message, wrong, content);
      return false;
    }
  };
  await confirmed({ title: say("withdraw-title"), content, yes: say("withdraw-yes"), no: say("withdraw-no"), act });
  return done;
}

// Makes a reserved record public. Returns {record, tag}, or null.
export async function publish(path, opened) {
  const content = element("p", {}, say("publish-intro"));
  if (!(await confirmed({ title: say("publish-title"), content, yes: say("publish-yes"), no: say("save-no") }))) return null;
  return write(path, opened, { ...contentOf(opened.record), status: "active" });
}

// Saves the content of an older version as a new one. Returns {record, tag}, or null. The status stays, because what was
// public cannot be reserved again.
export async function restore(path, opened, version) {
  const content = { ...contentOf(version), status: opened.record.status };
  if (!differences(contentOf(opened.record), content).length) throw new Failure(say("restore-same"));
  return saveContent(path, opened, content);
}

// Returns the list of all versions, the newest first, each with what it changed. `restore(button, record)` runs for a
// version that the reader wants back; without it, no version can be restored.
export async function historyView(recordPath, restore) {
  const path = recordPath.replace("/api/v1/records/", "/api/v1/history/");
  const versions = await allMembers(path, "versions");
  const items = versions.map(({ record: each, author }, at) => {
    const before = versions[at + 1]?.record;
    const back = restore && at > 0 && each.status !== "withdrawn";
    return element(
      "li",
      {},
      element("h3", {}, say("history-version", { version: each.version })),
      element("p", { class: "soft" }, time(each.updated), " ", author ? say("history-by", { author }) : say("history-by-service")),
      changesOf(before, each),
      back && element("button", { type: "button", class: "quiet", onclick: ({ currentTarget }) => restore(currentTarget, each) }, say("history-restore", { version: each.version })),
    );
  });
  return element("ol", { class: "steps", reversed: true }, ...items);
}

function changesOf(before, after) {
  if (after.withdrawn) return element("p", {}, say("history-withdrawn", { reason: after.withdrawn.reason }));
  if (!before) return element("p", {}, say("history-first"));
  const custody = custodyChange(before, after);
  if (custody) return element("p", {}, custody);
  const rows = differences(contentOf(before), contentOf(after));
  return rows.length ? differenceTable(rows, say("history-caption", { version: after.version })) : element("p", {}, say("history-same"));
}

// Returns a sentence about the custody that a version changed, or undefined; such a version changes nothing else.
function custodyChange(before, after) {
  const [was, now] = [before, after].map((each) => custodyOf(each) ?? {});
  if (after.issuer !== before.issuer) return say("history-received", { from: before.issuer });
  if (now.transfers?.length > (was.transfers?.length ?? 0)) return say("history-transferred", { to: now.transfers.at(-1).to });
  if (now.offer) return say("history-offered", { to: now.offer.to });
  return was.offer && say("history-offer-revoked", { to: was.offer.to });
}
