// What cannot be drawn as it was asked for: `key` is that of the sentence that says so (coolid/http/pages/script_messages.json).
export class Unfit extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}
