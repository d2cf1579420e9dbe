// A list that is read page after page, with the state of its filters in the fragment of the URL, which browsers do not
// send: #prefix=mp&since=2026-01-01.
import { listPath, page } from "./api.js";
import { notify, notifyFailure } from "./dom.js";

// Returns the state in the fragment.
export function fragmentState() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

// Goes to a state. `reload` runs if it is the present one; otherwise `hashchange` follows.
export function goTo(wanted, reload) {
  const fragment = listPath("", wanted).slice(1);
  if (fragment === location.hash.slice(1)) reload();
  else location.hash = fragment;
}

// `request()` returns the path and the parameters, `name` is the member with the rows, `show()` draws `rows`, and `status`
// is the region for `sentence` while a page is loaded.
export class GrowingList {
  constructor({ request, name, show, status, sentence }) {
    Object.assign(this, { request, name, show, status, sentence });
    this.rows = [];
    this.cursor = null;
    this.latest = 0; // the number of the last request; answers to others are dropped
  }

  // Begins again with the first page.
  begin() {
    [this.rows, this.cursor] = [[], null];
    return this.load();
  }

  // Adds the next page.
  async load() {
    const number = ++this.latest;
    const [path, parameters] = this.request();
    notify(this.status, "soft", this.sentence);
    try {
      const { members, next } = await page(listPath(path, { ...parameters, limit: 50, cursor: this.cursor }), this.name);
      if (number !== this.latest) return;
      this.rows = [...this.rows, ...members];
      this.cursor = next;
      this.show();
    } catch (wrong) {
      if (number !== this.latest) return;
      if (!this.rows.length) this.show();
      notifyFailure(this.status, wrong);
    }
  }
}
