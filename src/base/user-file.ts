import {
  type Stats,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { TextDecoder } from "node:util";
import { basename, dirname, join, resolve } from "node:path";
import { CommandFailure } from "./failures.ts";
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";

/** The forms of text that editors, shells and browsers write. */
type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** The content of a text file of a user. */
export interface UserFile {
  readonly path: string;
  /** Without the byte order mark. */
  readonly text: string;
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** True if a byte order mark comes first. */
  readonly isMarked: boolean;
  /** True if all bytes are text in this encoding. */
  readonly isText: boolean;
}

const MARK = "\uFEFF";

/** Reads a text file of a user in UTF-8 or UTF-16, with or without a byte order mark. Throws the system's error. */
export function readUserFile(path: string): UserFile {
  const bytes = readFileSync(path);
  const encoding = encodingOf(bytes);
  const decoded = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const isMarked = decoded.startsWith(MARK);
  const text = isMarked ? decoded.slice(MARK.length) : decoded;
  const isText = encoding === "utf-8" ? isUtf8(bytes) : bytes.equals(encoded(text, { encoding, isMarked }));
  return { path, text, bytes, encoding, isMarked, isText };
}

/** Reads only the text of a user's text file. */
export function readUserText(path: string): string {
  return readUserFile(path).text;
}

/** Decodes the pieces of a long text file as `readUserFile` decodes a whole one. */
export async function* decodedPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let start: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (decoder !== undefined) {
      yield decoder.decode(piece, { stream: true });
      continue;
    }
    start = Buffer.concat([start, piece]);
    // Fewer bytes do not show the encoding.
    if (start.length < 2) continue;
    decoder = new TextDecoder(encodingOf(start));
    yield decoder.decode(start, { stream: true });
  }
  yield decoder === undefined ? start.toString("utf8") : decoder.decode();
}

/**
 * Finds the encoding by the byte order mark, or by the zero of the first character, which is ASCII in JSON and YAML.
 */
function encodingOf(bytes: Buffer): Encoding {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return "utf-8";
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return "utf-8";
}

function encoded(text: string, { encoding, isMarked }: Pick<UserFile, "encoding" | "isMarked">): Buffer {
  const whole = isMarked ? MARK + text : text;
  if (encoding === "utf-8") return Buffer.from(whole, "utf8");
  const bytes = Buffer.from(whole, "utf16le");
  return encoding === "utf-16le" ? bytes : bytes.swap16();
}

/**
 * Replaces the text of a file that was read, in its encoding. The file has either the old or the new content at each
 * moment. Throws a `CommandFailure` if it changed since it was read, or if it has bytes that are not text.
 */
export function replaceUserFile(file: UserFile, text: string): void {
  if (!file.isText)
    throw new CommandFailure(
      `Failed to write ${file.path}: it has bytes that are not UTF-8. Save it as UTF-8, and run the command again.`,
    );
  replaceBytes(file.path, encoded(text, file), file.bytes);
}

/** Copies a file to a free name, such as `report.json.old`, and returns that name. */
export function keepUnderFreeName(path: string): string {
  for (let count = 1; ; count++) {
    const name = `${path}.old${count === 1 ? "" : `-${count}`}`;
    if (!existsSync(name) && isPlaced(() => copyFileSync(path, name, constants.COPYFILE_EXCL))) return name;
  }
}

/** Writes a new file, whole or not at all. Returns false if a file of that name exists; that file stays as it is. */
export function createUserFile(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  return isPlaced(() =>
    writeBeside(path, Buffer.from(text), undefined, (written) => {
      try {
        linkSync(written, path);
      } catch (error) {
        // Some file systems have no links.
        if (codeOf(error) === "EEXIST") throw error;
        copyFileSync(written, path, constants.COPYFILE_EXCL);
      }
    }),
  );
}

/** Returns false if the name was taken. */
function isPlaced(place: () => void): boolean {
  try {
    place();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Replaces a file whose content was read, or creates it if `was` is undefined. Throws the system's error. */
export function replaceBytes(path: string, bytes: Buffer, was: Buffer | undefined): void {
  // A link stays a link.
  const real = existsSync(path) ? realpathSync(path) : path;
  const stats = statSync(real, { throwIfNoEntry: false });
  const isSame =
    was === undefined ? stats === undefined : stats !== undefined && was.equals(readFileSync(real));
  if (!isSame)
    throw new CommandFailure(
      `Failed to write ${path}: another program has changed it. Run the command again.`,
    );
  if (was?.equals(bytes) === true) return;
  try {
    writeBeside(real, bytes, stats, (written) => renameSync(written, real));
  } catch (error) {
    // A file that is mounted alone, or a folder that takes no new file, leaves only the file itself.
    if (stats === undefined || !["EBUSY", "EXDEV", "EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? ""))
      throw error;
    writeFileSync(real, bytes, { flush: true });
  }
}

/**
 * Writes the bytes to a new file in the same folder, and moves it to the path with `place`. Always removes the new
 * file.
 */
function writeBeside(
  path: string,
  bytes: Buffer,
  like: Stats | undefined,
  place: (written: string) => void,
): void {
  // A name may have 255 bytes.
  const beside = join(resolve(dirname(path)), `.${basename(path).slice(0, 50)}.${randomUUID()}.tmp`);
  try {
    const file = openSync(beside, "wx");
    try {
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (like !== undefined) keepRights(beside, like);
    place(beside);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Gives a file the mode of another one, and its owner if the process may do that. */
function keepRights(path: string, { mode, uid, gid }: Stats): void {
  const own = statSync(path);
  try {
    if (own.uid !== uid || own.gid !== gid) chownSync(path, uid, gid);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
  if (own.mode !== mode) chmodSync(path, mode & 0o7777);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
