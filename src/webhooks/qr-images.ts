import { assert } from "../engine/assertion.ts";
import { crc32 } from "node:zlib";
import { encodeQR } from "qr";
import { QR_IMAGE } from "../platform/qr-image.ts";

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
const QUIET_ZONE_MODULES = 4;
/** Readers accept every mask; to draw all eight and choose one takes as long as the rest of a code. */
const MASK = 0;
/** Only recent images: a larger cache costs more in garbage collection than drawing them again. */
const IMAGES_KEPT_MAX = 100;

const images = new Map<string, string>();

/** An image in the JSON text of a value, or in a JSON text within that: then its quotes are escaped. */
const UNDRAWN = /\{(\\*")\$qrImage\1:\1([^"\\]*)\1\}/y;

let latest = { json: "", drawn: "" };

/** A JSON text with its QR codes drawn. A client that waits for a change gets the same text many times. */
export function withQrImages(json: string): string {
  if (json !== latest.json) latest = { json, drawn: withImages(json, base64In) };
  return latest.drawn;
}

/** A JSON text with a word in place of its QR codes, which nobody compares. */
export function withoutQrImages(json: string): string {
  return withImages(json, () => "(image)");
}

/**
 * A JSON text with others in place of its images; where there is none, the image stays. Only the text around the key of
 * an image is looked at: a search for the whole pattern takes longer than an answer takes to be written.
 */
function withImages(json: string, textOf: (encoded: string) => string | undefined): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = json.indexOf(QR_IMAGE); at !== -1; at = json.indexOf(QR_IMAGE, at + 1)) {
    // Before its quote, which may be escaped.
    let start = at - 2;
    while (json[start] === "\\") start--;
    UNDRAWN.lastIndex = start;
    const [undrawn = "", quote = "", encoded = ""] = (start < from ? null : UNDRAWN.exec(json)) ?? [];
    const text = undrawn === "" ? undefined : textOf(encoded);
    if (text === undefined) continue;
    pieces.push(json.slice(from, start), quote, text, quote);
    from = start + undrawn.length;
  }
  if (from === 0) return json;
  pieces.push(json.slice(from));
  return pieces.join("");
}

/** Undefined for somebody else's text: it is too long for a code, or was never encoded. */
function base64In(encoded: string): string | undefined {
  try {
    return base64Of(encoded);
  } catch {
    return undefined;
  }
}

function base64Of(encoded: string): string {
  const known = images.get(encoded);
  if (known !== undefined) return known;
  const image = drawQrCode(decodeURIComponent(encoded)).toString("base64");
  const oldest = images.size >= IMAGES_KEPT_MAX ? images.keys().next().value : undefined;
  if (oldest !== undefined) images.delete(oldest);
  images.set(encoded, image);
  return image;
}

/** A QR code as a PNG, of error correction level M because no logo covers it: one bit per pixel, set where it is light. */
export function drawQrCode(payload: string): Buffer<ArrayBuffer> {
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const { blank, rowBytes } = blankImage(code.length * PIXELS_PER_MODULE);
  const png = Buffer.from(blank);
  // The checksum of a zlib stream: the sums of so few bytes need no modulo on the way.
  let low = 1;
  let high = 0;
  let start = ROWS_AT;
  for (const row of code) {
    drawRow(png, start + 1, row);
    let sum = 0;
    let weighted = 0;
    for (let index = 0; index < rowBytes; index++) {
      const byte = png[start + index]!;
      sum += byte;
      weighted += (rowBytes - index) * byte;
      for (let copy = 1; copy < PIXELS_PER_MODULE; copy++) png[start + copy * rowBytes + index] = byte;
    }
    for (let copy = 0; copy < PIXELS_PER_MODULE; copy++) {
      high += rowBytes * low + weighted;
      low += sum;
    }
    start += PIXELS_PER_MODULE * rowBytes;
  }
  png.writeUInt32BE((high % 65_521) * 65_536 + (low % 65_521), start);
  png.writeUInt32BE(crc32(png.subarray(DATA_AT, start + 4)), start + 4);
  return png;
}

/** By eight modules, of which a bit is set where one is light, their pixels. */
const PIXELS = Uint32Array.from({ length: 256 }, (_, modules) => {
  const bits = modules.toString(2).padStart(8, "0");
  return Number.parseInt(
    bits.replaceAll(/./g, (bit) => bit.repeat(PIXELS_PER_MODULE)),
    2,
  );
});

/** Draws eight modules at a time. What the last ones have too many is dark, as the rest of a row and its checksum are. */
function drawRow(png: Buffer, start: number, row: readonly (boolean | undefined)[]): void {
  let at = start;
  for (let x = 0; x < row.length; x += 8) {
    const modules =
      (row[x] === false ? 0x80 : 0) |
      (row[x + 1] === false ? 0x40 : 0) |
      (row[x + 2] === false ? 0x20 : 0) |
      (row[x + 3] === false ? 0x10 : 0) |
      (row[x + 4] === false ? 0x08 : 0) |
      (row[x + 5] === false ? 0x04 : 0) |
      (row[x + 6] === false ? 0x02 : 0) |
      (row[x + 7] === false ? 0x01 : 0);
    const pixels = PIXELS[modules]!;
    png[at] = pixels >> 16;
    png[at + 1] = pixels >> 8;
    png[at + 2] = pixels;
    at += PIXELS_PER_MODULE;
  }
}

interface BlankImage {
  readonly width: number;
  readonly blank: Buffer;
  readonly rowBytes: number;
}

let latestBlank: BlankImage | undefined;

/** An image without its pixels and their checksums. Most codes have one width. */
function blankImage(width: number): BlankImage {
  if (latestBlank?.width === width) return latestBlank;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  // The first byte of a row names its filter; 0 is none.
  const rowBytes = 1 + Math.ceil(width / 8);
  const blank = Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", storedStream(rowBytes * width)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  latestBlank = { width, blank, rowBytes };
  return latestBlank;
}

/**
 * A zlib stream of so many bytes without compression. To compress them takes longer, and its bytes differ between
 * versions of zlib: the signature of a webhook is in the journal, which has the same bytes everywhere.
 */
function storedStream(bytes: number): Buffer {
  assert(bytes <= 0xffff, "the rows of a QR code fit into one block");
  const stream = Buffer.alloc(STREAM_HEAD_BYTES + bytes + 4);
  // The header of zlib, and that of the one block: the last, stored, its length, and the complement of that.
  stream.set([0x78, 0x01, 0x01], 0);
  stream.writeUInt16LE(bytes, 3);
  stream.writeUInt16LE(~bytes & 0xffff, 5);
  return stream;
}

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const STREAM_HEAD_BYTES = 7;

/** Where the checksum of the pixels' chunk begins to count: at its name, after the signature, the header, its length. */
const DATA_AT = PNG_SIGNATURE.length + 25 + 4;
const ROWS_AT = DATA_AT + 4 + STREAM_HEAD_BYTES;

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, "latin1");
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, -4)), made.length - 4);
  return made;
}
