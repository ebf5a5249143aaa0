import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/** The limit of the stored part of a body, on the wire and decoded. All of it is passed on. */
export const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** The beginning of a body while it goes through. */
export class KeptBody {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  isCut = false;

  add(chunk: Buffer): void {
    if (this.isCut) return;
    const kept = chunk.subarray(0, KEPT_BYTES_MAX - this.#length);
    this.isCut = kept.length < chunk.length;
    this.#chunks.push(kept);
    this.#length += kept.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Returns the beginning of a body without its encoding, decoded outside of this thread. Returns the body itself if the
 * encoding is unknown or broken.
 */
export async function decoded(body: KeptBody, encoding: string | undefined): Promise<KeptBody> {
  const { bytes } = body;
  const open = DECODERS[encoding?.trim().toLowerCase() ?? ""];
  if (open === undefined || bytes.length === 0) return body;
  const kept = new KeptBody();
  return new Promise((resolve) => {
    const decoder = open();
    decoder.on("data", (chunk: Buffer) => {
      kept.add(chunk);
      if (kept.isCut) decoder.destroy();
    });
    decoder.on("end", () => resolve(kept));
    decoder.on("error", () => resolve(body));
    decoder.on("close", () => resolve(kept.isCut ? kept : body));
    decoder.end(bytes);
  });
}
