import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;
const CHECKSUM_CHARACTERS = 8;

/** One line of a file: its value, or undefined where its checksum does not fit. */
export interface Line {
  readonly value: unknown;
  readonly isSound: boolean;
  /** Whether its newline is there; only the last line of a file can lack it. */
  readonly isWhole: boolean;
  /** Where in the file the next line begins. */
  readonly end: number;
}

/** A value as a line: the CRC-32 of its JSON, and the JSON. A line that was not written whole does not fit. */
export function formatLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${crc32(json).toString(16).padStart(CHECKSUM_CHARACTERS, "0")} ${json}\n`;
}

/** The lines of a file from its beginning, never more than a chunk and a line in memory. */
export async function* readLines(file: FileHandle): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      end += at + 1 - begin;
      yield { ...parse(chunk.subarray(begin, at)), isWhole: true, end };
      begin = at + 1;
    }
    rest = chunk.subarray(begin);
  }
  if (rest.length > 0) yield { ...parse(rest), isWhole: false, end: end + rest.length };
}

function parse(bytes: Buffer): Pick<Line, "value" | "isSound"> {
  const json = bytes.subarray(CHECKSUM_CHARACTERS + 1);
  const checksum = Number.parseInt(bytes.toString("latin1", 0, CHECKSUM_CHARACTERS), 16);
  if (bytes[CHECKSUM_CHARACTERS] !== 0x20 || crc32(json) !== checksum)
    return { value: undefined, isSound: false };
  try {
    return { value: JSON.parse(json.toString("utf8")) as unknown, isSound: true };
  } catch {
    return { value: undefined, isSound: false };
  }
}
