// @ts-check

/** Bytes of a body that are shown as hex. */
const HEX_BYTES_MAX = 4096;

/**
 * A text as JSON people can read; the text itself where it is no JSON.
 *
 * @param {string} text
 */
export function prettyText(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * The bytes of a text in UTF-8, sixteen to a line: where they stand, their hex, and those that print.
 *
 * @param {string} text
 */
export function hexText(text) {
  const bytes = new TextEncoder().encode(text);
  const lines = [];
  for (let start = 0; start < Math.min(bytes.length, HEX_BYTES_MAX); start += 16) {
    const row = Array.from(bytes.subarray(start, start + 16));
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const print = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${start.toString(16).padStart(4, "0")}  ${hex.padEnd(47)}  ${print}`);
  }
  if (bytes.length > HEX_BYTES_MAX) lines.push(`… ${bytes.length - HEX_BYTES_MAX} bytes more`);
  return lines.join("\n");
}
