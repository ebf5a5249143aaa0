import { encodeQR } from "qr";
import { expect, test } from "vitest";

import { qrCode } from "../../../src/simulator/qr-images/qr-code.ts";

/** A code with its quiet zone as lines of text. */
function drawn(text: string): string[] {
  const { width, rowBytes, modules } = qrCode(text);
  const bits = Array.from(modules, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return Array.from({ length: width }, (_, y) => bits.slice(y * rowBytes * 8).slice(0, width));
}

/** The same code by the library. */
function byLibrary(text: string): string[] {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4, mask: 0 });
  return rows.map((row) => row.map(Number).join(""));
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
  expect(new Set(texts.map((text) => qrCode(text).width)).size).toBe(40);
});

test.each(["x".repeat(2_331), "7".repeat(5_596), "A".repeat(3_391)])(
  "the longest text of a mode is encoded, and a longer one is refused",
  (text) => {
    expect(drawn(text)).toEqual(byLibrary(text));
    expect(() => qrCode(text + text[0])).toThrow(/^Failed to encode a QR code: the text has \d+ characters/);
  },
);
