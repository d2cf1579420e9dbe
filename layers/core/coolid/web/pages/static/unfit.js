// What cannot be drawn as it was asked for: `key` is that of the sentence that says so (coolid/web/pages/words.py).
export class Unfit extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}
