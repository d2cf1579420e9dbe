// Saving a record: the reader confirms the differences; if somebody else changed the record meanwhile, both changes are
// shown side by side, and the reader chooses for each part that both changed.
import { say } from "../words.js";
import { call, isRecord, loadRecord } from "./api.js";
import { changeRequest, contentOf, differences, merge, withParts } from "./changes.js";
import { differenceTable, partName, valueView } from "./changes-view.js";
import { confirmed, element, table, time } from "./dom.js";

// Saves content that was made from `opened` {record, tag}. Returns the {record, tag} of the new version, or null if the
// reader goes back to editing. Throws a Failure.
export async function saveContent(path, opened, content) {
  let [current, wanted] = [opened, content];
  if (!(await areWanted(differences(contentOf(current.record), wanted)))) return null;
  for (;;) {
    try {
      return await write(path, current, wanted);
    } catch (wrong) {
      if (wrong.status !== 412) throw wrong;
    }
    const base = contentOf(current.record);
    const newer = await loadRecord(path);
    wanted = await reconciled(base, wanted, newer.record);
    if (wanted === null) return null;
    current = newer;
    // What is left may be nothing: the other person made the same change.
    if (!differences(contentOf(current.record), wanted).length) return current;
  }
}

function areWanted(rows) {
  const content = differenceTable(rows, say("save-caption"));
  return confirmed({ title: say("save-title"), content, yes: say("save-yes"), no: say("save-no") });
}

// Sends the change on condition that the record is as it was opened.
export async function write(path, { record, tag }, content) {
  const { method, body } = changeRequest(contentOf(record), content);
  const { document, headers } = await call(method, path, { body, tag, isFit: isRecord });
  return { record: document, tag: headers.get("ETag") };
}

// Returns the content that the reader makes of both changes, or null.
async function reconciled(base, mine, newer) {
  const theirs = contentOf(newer);
  const { content, conflicts, taken } = merge(base, mine, theirs);
  const choices = conflicts.map((conflict, at) => ({ ...conflict, name: `conflict-${at}` }));
  const parts = [
    element("p", {}, say("conflict-intro"), " ", time(newer.updated)),
    choices.length ? conflictTable(choices) : element("p", {}, say("conflict-none")),
    taken.length && differenceTable(taken.map(({ pointer, base: before, theirs: after }) => ({ pointer, before, after })), say("conflict-taken")),
  ];
  const view = element("div", {}, ...parts.filter(Boolean));
  const question = { title: say("conflict-title"), content: view, yes: say("conflict-save"), no: say("save-no") };
  if (!(await confirmed(question))) return null;
  const isTheirs = ({ name }) => view.querySelector(`input[name=${name}]:checked`).value === "theirs";
  const chosen = choices.filter(isTheirs).map(({ pointer, theirs: value }) => [pointer, value]);
  return withParts(base, mine, theirs, content, chosen);
}

function conflictTable(conflicts) {
  const columns = [
    { label: say("part-name"), header: true, cell: ({ pointer }) => partName(pointer) },
    { label: say("conflict-base"), cell: ({ base }) => valueView(base) },
    { label: say("conflict-mine"), cell: (row) => choice(row, "mine", row.mine, say("conflict-use-mine")) },
    { label: say("conflict-theirs"), cell: (row) => choice(row, "theirs", row.theirs, say("conflict-use-theirs")) },
  ];
  return table({ caption: say("conflict-caption"), columns, rows: conflicts, class: "changes" });
}

function choice({ name, pointer }, which, value, label) {
  const id = `${name}-${which}`;
  const named = `${label}: ${partName(pointer)}`;
  const radio = element("input", { type: "radio", name, id, value: which, checked: which === "mine", "aria-label": named });
  return element("label", { for: id, class: "beside" }, radio, " ", valueView(value));
}
