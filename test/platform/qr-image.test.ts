import { decode } from "fast-png";
import { encodeQR } from "qr";
import { expect, test } from "vitest";
import { inflateSync } from "node:zlib";
import { qrImage } from "../../src/platform/qr-image.ts";
import { squaresPng } from "../../src/platform/pictures/squares-png.ts";
import fc from "fast-check";

const PIXELS_PER_SQUARE = 4;

/** The pixels of a PNG, true where they are dark; checked to the last check sum. */
function shown(png: Uint8Array): boolean[][] {
  const { width, height, depth, channels, data } = decode(png, { checkCrc: true });
  expect([depth, channels]).toEqual([1, 1]);
  const rowBytes = Math.ceil(width / 8);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => ((data[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0),
  );
}

function enlarged(squares: readonly (readonly boolean[])[]): boolean[][] {
  const wide = squares.map((row) => row.flatMap((square) => Array<boolean>(PIXELS_PER_SQUARE).fill(square)));
  return wide.flatMap((row) => Array<boolean[]>(PIXELS_PER_SQUARE).fill(row));
}

/** What the strictest reader makes of the compressed pixels: it looks at their check sum. */
function inflated(png: Uint8Array): number {
  const length = Buffer.from(png).readUInt32BE(33);
  return inflateSync(png.subarray(41, 41 + length)).length;
}

test.each(["a", "00020101021226900014br.gov.bcb.pix", "x".repeat(300), "x".repeat(2_000)])(
  "the picture of %j shows its code, pixel by pixel",
  (payload) => {
    const code = encodeQR(payload, "raw", { ecc: "medium", border: 4, mask: 3 });
    expect(shown(Buffer.from(qrImage(payload), "base64"))).toEqual(enlarged(code));
  },
);

test("any squares come out as they are, whatever their number", () => {
  const squares = fc.integer({ min: 2, max: 190 }).chain((width) =>
    fc.array(fc.array(fc.boolean(), { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 12,
    }),
  );
  fc.assert(
    fc.property(squares, (rows) => {
      const png = squaresPng(rows);
      expect(shown(png)).toEqual(enlarged(rows));
      const rowBytes = 1 + Math.ceil(((rows[0]?.length ?? 0) * PIXELS_PER_SQUARE) / 8);
      expect(inflated(png)).toBe(rows.length * PIXELS_PER_SQUARE * rowBytes);
    }),
    { numRuns: 200 },
  );
});

test("the code itself can be read by a reader of its own", async () => {
  const { default: decodeQR } = await import("qr/decode.js");
  const payload = "00020101021226900014br.gov.bcb.pix2568qr.example/v2/9d36b84fc70b478fb95c12729b90ca25";
  const pixels = shown(Buffer.from(qrImage(payload), "base64"));
  const data = Uint8Array.from(
    pixels.flatMap((row) =>
      row.flatMap((dark) =>
        Array<number>(3)
          .fill(dark ? 0 : 255)
          .concat(255),
      ),
    ),
  );
  expect(decodeQR({ width: pixels.length, height: pixels.length, data })).toBe(payload);
});
