import { encodeQR } from "qr";
import { expect, test } from "vitest";

import { qrCode } from "../../src/webhooks/qr-code.ts";

/** The least border that the library draws. */
const BORDER = 1;

/** A code as lines of text. */
function drawn(text: string): string[] {
  const { size, modules } = qrCode(text);
  return Array.from({ length: size }, (_, y) => modules.subarray(y * size, (y + 1) * size).join(""));
}

/** The same code by the library. */
function byLibrary(text: string): string[] {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: BORDER, mask: 0 });
  return rows.slice(BORDER, -BORDER).map((row) => row.slice(BORDER, -BORDER).map(Number).join(""));
}

/** Texts of each mode, and of every version. */
const TEXTS = ["7", "A", "a", "é", "😀"].flatMap((character) =>
  Array.from({ length: 70 }, (_, index) => character.repeat(Math.ceil(1 + index * 1.5 + index ** 2 / 7))),
);

test("the codes of texts of each mode are those of a library, in all 40 versions", () => {
  const mixed = ["", "0", "0012", "$%*+-./: A", "Pix 12", "00020101021226900014br.gov.bcb.pix"];
  const texts = [...mixed, ...TEXTS].filter((text) => Buffer.byteLength(text) <= 2_331);
  expect(texts.length).toBeGreaterThan(300);
  for (const text of texts) expect(drawn(text)).toEqual(byLibrary(text));
  expect(new Set(texts.map((text) => qrCode(text).size)).size).toBe(40);
});

test.each(["x".repeat(2_331), "7".repeat(5_596), "A".repeat(3_391)])(
  "the longest text of a mode is encoded, and a longer one is refused",
  (text) => {
    expect(drawn(text)).toEqual(byLibrary(text));
    expect(() => qrCode(text + text[0])).toThrow(/^Failed to encode a QR code: the text has \d+ characters/);
  },
);
