import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import chain from "stream-chain";
import { parser } from "stream-json";
import { pick } from "stream-json/filters/pick.js";
import { streamArray } from "stream-json/streamers/stream-array.js";
import { isRecord } from "../simulator/engine/json.ts";
import { FileMistakes } from "../base/failures.ts";
import { decodedPieces } from "../base/user-file.ts";

export interface RawEntry {
  /** Its index in `log.entries`, from 0. */
  readonly index: number;
  readonly value: unknown;
  /** The number of bytes of its file that are read so far. */
  readonly bytesRead: number;
}

/** The result of reading a file. */
export interface HarEnd {
  readonly entries: number;
  /** True if the file ends in the middle, for example because its program was killed. */
  readonly isCut: boolean;
}

/** The end of reading a file, among other files. */
export interface HarsEnd extends HarEnd {
  /** The number of entries that an earlier entry equals in time, request and answer. They are left out. */
  readonly doubled: number;
}

/**
 * The limits of one entry, which also limit the memory for a file. Entries of browsers and proxies are much smaller.
 */
const ENTRY_CHARACTERS_MAX = 64_000_000;
const ENTRY_VALUES_MAX = 1_000_000;
const LEVELS_MAX = 200;

/** The levels around an entry: the document, its log, and the list of entries. */
const LEVELS_AROUND = 3;

/** The maximum number of entries that are remembered to find equal entries. */
const REMEMBERED_MAX = 500_000;

/**
 * Reads the entries of several files, and returns the end of each. Programs that join or append files write an entry
 * twice, so equal entries count once. The error names all wrong files. Once the signal aborts, the rest is not read.
 */
export async function readHars(
  paths: readonly string[],
  take: (entry: RawEntry, file: number) => void,
  signal?: AbortSignal,
): Promise<HarsEnd[]> {
  const ends: HarsEnd[] = [];
  const known = new Set<string>();
  const mistakes: string[] = [];
  const isOver = (): boolean => signal?.aborted === true;
  for (const [file, path] of paths.entries()) {
    if (isOver()) break;
    try {
      const entries = readHar(path);
      let [taken, doubled] = [0, 0];
      let next = await entries.next();
      for (; next.done !== true && !isOver(); next = await entries.next()) {
        taken++;
        const digest = digestOf(next.value.value);
        if (digest !== undefined && known.has(digest)) doubled++;
        else take(next.value, file);
        if (digest !== undefined && known.size < REMEMBERED_MAX) known.add(digest);
      }
      const end = next.done === true ? next : await entries.return({ entries: taken, isCut: false });
      ends.push({ ...(end.value as HarEnd), doubled });
    } catch (error) {
      if (!(error instanceof FileMistakes)) throw error;
      mistakes.push(error.message);
    }
  }
  if (mistakes.length > 0) throw new FileMistakes(mistakes.join("\n"));
  return ends;
}

/**
 * Returns a digest of the time, the request and the answer of an entry, and of its world and direction. Undefined for
 * an entry without a time or a request.
 */
function digestOf(entry: unknown): string | undefined {
  const { startedDateTime, request, response, _world, _direction } = isRecord(entry) ? entry : {};
  if (startedDateTime === undefined || request === undefined) return undefined;
  const text = JSON.stringify([startedDateTime, request, response, _world, _direction]);
  return hash("sha1", text, "base64");
}

/**
 * Reads the entries of a HAR file one after another, so that a file of any size takes the memory of its largest entry.
 * Throws `FileMistakes` for a missing file, for a file that is not a HAR, or for an entry that is too large or nested
 * too deeply. A file that ends in the middle gives its complete entries.
 */
export async function* readHar(path: string): AsyncGenerator<RawEntry, HarEnd> {
  let entries = 0;
  let bytes = 0;
  let hasEntries = false;
  let isCut = false;
  let sinceEntry = 0;
  let level = 0;
  let values = 0;
  let ended = 0;
  const tooLarge = (what: string): FileMistakes =>
    new FileMistakes(
      `Failed to read ${path}: its entry ${ended + 1} ${what}. Remove the entry, and try again.`,
    );
  const countValue = (token: parser.Token): parser.Token => {
    hasEntries ||= level === LEVELS_AROUND - 1 && token.name === "keyValue" && token.value === "entries";
    if (token.name.startsWith("start") && ++level > LEVELS_MAX)
      throw tooLarge(`is nested more than ${LEVELS_MAX} levels deep`);
    if (token.name.startsWith("end") && --level <= LEVELS_AROUND) {
      values = 0;
      if (level === LEVELS_AROUND) ended++;
    } else if (++values > ENTRY_VALUES_MAX)
      throw tooLarge(`has more than ${ENTRY_VALUES_MAX} fields and values`);
    return token;
  };
  const file = createReadStream(path);
  const pipeline = chain([
    Readable.from(decodedPieces(uncompressed(path, file))),
    (text: string) => {
      bytes += text.length;
      sinceEntry += text.length;
      if (sinceEntry > ENTRY_CHARACTERS_MAX)
        throw tooLarge(`has more than ${ENTRY_CHARACTERS_MAX} characters`);
      return text;
    },
    parser({ packKeys: true, packStrings: true, packNumbers: true, streamValues: false }),
    countValue,
    pick({ filter: "log.entries" }),
    streamArray(),
  ]);
  try {
    for await (const { key, value } of pipeline as AsyncIterable<{ key: number; value: unknown }>) {
      entries++;
      sinceEntry = 0;
      yield { index: key, value, bytesRead: file.bytesRead };
    }
  } catch (error) {
    if (error instanceof FileMistakes) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw unreadable(path, reasonOf(code));
    // The entries read so far are complete.
    if (entries === 0) throw unreadable(path, bytes === 0 ? "it is empty" : `it is no JSON (${message})`);
    isCut = true;
  }
  if (!hasEntries) throw unreadable(path, bytes === 0 ? "it is empty" : "it has no log.entries");
  return { entries, isCut };
}

/** The first bytes of files that hold a HAR in another form, and how to get it out. */
const CONTAINERS = [
  { bytes: [0x1f, 0x8b], found: "it is compressed with gzip", fix: "Decompress it first: gunzip FILE." },
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    found: "it is a ZIP file",
    fix: "Extract it, and name the .har file in it. In Playwright, write recordHar to a file that ends in .har, which has the bodies too.",
  },
];

/** Refuses a compressed file by its first bytes. */
async function* uncompressed(path: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of pieces) {
    const container = CONTAINERS.find(
      ({ bytes }) => isFirst && bytes.every((byte, at) => piece[at] === byte),
    );
    if (container !== undefined)
      throw new FileMistakes(`Failed to read ${path}: ${container.found}. ${container.fix}`);
    isFirst = false;
    yield piece;
  }
}

function reasonOf(code: string): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "it may not be read",
  };
  return reasons[code] ?? code;
}

function unreadable(path: string, found: string): FileMistakes {
  return new FileMistakes(
    `Failed to read ${path}: ${found}. Name a HAR 1.2 file, as browsers, proxies and sandbank record write it.`,
  );
}
