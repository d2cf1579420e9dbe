// Identifiers that cannot be generated as requested: `key` is that of the message (script_messages.json).
export class Unfit extends Error {
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}
