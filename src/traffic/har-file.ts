import { Buffer } from "node:buffer";
import { type HarEntry, harEnvelope } from "./har.ts";
import { type FileHandle, open } from "node:fs/promises";

/**
 * A HAR file that grows. It is a complete document after every entry. The next entry overwrites the end of the document
 * and adds a new end, in one write. So a killed process leaves a readable file.
 */
export class HarFile {
  readonly #file: FileHandle;
  readonly #tail: string;
  /** The position of the next entry. */
  #end: number;
  #count = 0;
  #written: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, { head, tail }: { readonly head: string; readonly tail: string }) {
    this.#file = file;
    this.#tail = tail;
    this.#end = Buffer.byteLength(head);
  }

  /** Creates the file, or empties it. Rejects with the operating system's error if this fails. */
  static async create(
    path: string,
    creator: { readonly version: string; readonly comment?: string },
  ): Promise<HarFile> {
    const envelope = harEnvelope(creator);
    const file = await open(path, "w");
    await file.write(envelope.head + envelope.tail, 0);
    return new HarFile(file, envelope);
  }

  /** The number of its entries. */
  get count(): number {
    return this.#count;
  }

  /** Adds an entry. Resolves when it is in the file. */
  append(entry: HarEntry): Promise<void> {
    const text = `${this.#count++ === 0 ? "" : ",\n"}${JSON.stringify(entry)}`;
    const start = this.#end;
    this.#end += Buffer.byteLength(text);
    const written = this.#written.then(() => writeWhole(this.#file, Buffer.from(text + this.#tail), start));
    this.#written = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#written;
    await this.#file.close();
  }
}

/** Writes all bytes. A single write may take only a part of them. */
async function writeWhole(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}
