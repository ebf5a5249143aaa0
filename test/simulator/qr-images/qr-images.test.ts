import { decode } from "fast-png";
import { decodeQR } from "qr/decode.js";
import { encodeQR } from "qr";
import { expect, test } from "vitest";
import { drawQrCode, withoutQrImages, withQrImages } from "../../../src/simulator/qr-images/qr-images.ts";
import { qrImage } from "../../../src/simulator/platform/undrawn-qr-image.ts";

const PIXELS_PER_MODULE = 3;
const PAYLOADS = ["a", "00020101021226900014br.gov.bcb.pix", "0002012690".repeat(20), "x".repeat(300)];

interface Image {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly isDark: (x: number, y: number) => boolean;
}

function imageOf(payload: string): Image {
  const { width, height, depth, data } = decode(drawQrCode(payload));
  const rowBytes = Math.ceil(width / 8);
  const isDark = (x: number, y: number): boolean =>
    ((data[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0;
  return { width, height, depth, isDark };
}

test.each(PAYLOADS)("the image of %j shows its code, pixel by pixel", (payload) => {
  const { width, height, depth, isDark } = imageOf(payload);
  const code = encodeQR(payload, "raw", { ecc: "medium", border: 4, mask: 0, scale: PIXELS_PER_MODULE });
  expect([width, height, depth]).toEqual([code.length, code.length, 1]);
  const shown = code.map((row, y) => row.map((_, x) => isDark(x, y)));
  expect(shown).toEqual(code);
});

test.each(PAYLOADS)("the unused bits at the end of each row of the image of %j are zero", (payload) => {
  const { width, height, data } = decode(drawQrCode(payload));
  const rowBytes = Math.ceil(width / 8);
  const unused = 0xff >> (width - (rowBytes - 1) * 8);
  const ends = Array.from({ length: height }, (_, y) => (data[(y + 1) * rowBytes - 1] ?? 0) & unused);
  expect(new Set(ends)).toEqual(new Set([0]));
});

test.each(PAYLOADS)("a QR reader reads %j from its image", (payload) => {
  const { width, height, isDark } = imageOf(payload);
  const data = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const light = isDark(pixel % width, Math.floor(pixel / width)) ? 0 : 255;
    data.set([light, light, light, 255], pixel * 4);
  }
  expect(decodeQR({ width, height, data })).toBe(payload);
});

test.each(PAYLOADS.concat('a "quoted" \\ text %'))(
  "the image of %j is drawn in JSON, and in JSON within JSON",
  (payload) => {
    const image = drawQrCode(payload).toString("base64");
    const json = JSON.stringify({ image: qrImage(payload), next: 1 });
    expect(JSON.parse(withQrImages(json))).toEqual({ image, next: 1 });
    const twice = JSON.stringify({ body: JSON.stringify({ body: json }) });
    expect(JSON.parse(JSON.parse(JSON.parse(withQrImages(twice)).body).body)).toEqual({ image, next: 1 });
  },
);

test("each of several images is drawn, or becomes a word, and the text around them stays", () => {
  const [one, other] = ["one", "other"].map((payload) => drawQrCode(payload).toString("base64"));
  const value = ["$qrImage", { $qrImage: 1 }, qrImage("one"), { a: qrImage("other") }, "{"];
  const json = JSON.stringify(value);
  const shown = (first = "", second = ""): string =>
    JSON.stringify(["$qrImage", { $qrImage: 1 }, first, { a: second }, "{"]);
  expect([withQrImages(json), withoutQrImages(json)]).toEqual([
    shown(one, other),
    shown("(image)", "(image)"),
  ]);
});

test("what looks like an image and is none stays as it is", () => {
  for (const text of ["%zz", "x".repeat(5_000)]) {
    const json = `{"image":{"$qrImage":"${text}"}}`;
    expect(withQrImages(json)).toBe(json);
  }
});
