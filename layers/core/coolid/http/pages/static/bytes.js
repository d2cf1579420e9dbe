// Bytes as text: a string with a character for each byte, and base64 (RFC 4648).

// Returns a string with a character for each byte.
export function binary(bytes) {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

// Returns the content of base64 text with padding, or null if the text is not canonical.
export function bytesOf(text) {
  if (/[^\w+/=]|_/.test(text)) return null;
  try {
    const decoded = atob(text);
    return btoa(decoded) === text ? Uint8Array.from(decoded, (each) => each.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
