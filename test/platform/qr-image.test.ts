import { decode } from "fast-png";
import { encodeQR } from "qr";
import { expect, test } from "vitest";
import { qrImage } from "../../src/platform/qr-image.ts";

const PIXELS_PER_MODULE = 4;

test.each(["a", "00020101021226900014br.gov.bcb.pix", "x".repeat(300)])(
  "the picture of %j shows its code, pixel by pixel",
  (payload) => {
    const { width, height, depth, data } = decode(Buffer.from(qrImage(payload), "base64"));
    const code = encodeQR(payload, "raw", { ecc: "medium", border: 4, scale: PIXELS_PER_MODULE });
    expect([width, height, depth]).toEqual([code.length, code.length, 1]);
    const rowBytes = Math.ceil(width / 8);
    const isDark = (x: number, y: number): boolean =>
      ((data[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0;
    const shown = code.map((row, y) => row.map((_, x) => isDark(x, y)));
    expect(shown).toEqual(code);
  },
);
