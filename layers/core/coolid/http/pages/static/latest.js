// The page of a prefix: lists the latest records of its repository (coolid/http/public/latest_records.py).
import { say } from "./words.js";

const section = document.getElementById("latest");
const list = section.querySelector("ul");
const status = section.querySelector("[role=status]");

try {
  const answer = await fetch(section.dataset.latest, { headers: { Accept: "application/json" }, credentials: "omit" });
  if (!answer.ok) throw new Error(String(answer.status));
  const { records } = await answer.json();
  list.replaceChildren(...records.map(line));
  status.textContent = records.length ? "" : say("latest-none");
} catch {
  status.textContent = say("latest-failed");
}

function line({ pid, title, updated }) {
  const item = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: `${pid}?format=html`, textContent: title, dir: "auto" });
  const when = Object.assign(document.createElement("time"), { dateTime: updated, textContent: updated.slice(0, 10) });
  when.className = "soft";
  item.append(link, " ", when);
  return item;
}
