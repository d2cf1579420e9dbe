// Uniform random numbers from the browser's cryptographic source (W3C Web Cryptography, getRandomValues).

export function bytes(size) {
  return crypto.getRandomValues(new Uint8Array(size));
}

// Returns the integer of these bytes, the most significant first.
export function integer(octets) {
  return octets.reduce((number, octet) => (number << 8n) | BigInt(octet), 0n);
}

// Returns a BigInt from 0 up to, but not including, the limit. Numbers outside are rejected, because a remainder would
// prefer small numbers.
export function below(limit) {
  const bits = (limit - 1n).toString(2).length;
  const size = Math.ceil(bits / 8);
  for (;;) {
    const number = integer(bytes(size)) >> BigInt(8 * size - bits);
    if (number < limit) return number;
  }
}
