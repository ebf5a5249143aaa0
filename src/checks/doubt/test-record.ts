import { drawnNames, nameState, namesOf, originsIn } from "../../partner/states/naming.ts";
import type { ServedCall, RecordedLine } from "./test-recorder.ts";
import {
  type ComparisonRules,
  isCompared,
  rulesFor,
  stateDifferences,
} from "../../partner/states/comparison.ts";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The record of the sandboxes of one run of the tests. */
export interface TestRecord {
  /** The ids of the assumptions that were read. */
  readonly assumptions: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
  /** The ids of the called operations. */
  readonly operations: ReadonlySet<string>;
  /** The number of worlds that were made or set, and the number of worlds that set each assumption explicitly. */
  readonly worlds: number;
  readonly set: ReadonlyMap<string, number>;
  /** The number of effects of faults. */
  readonly injected: number;
  /** The calls and the webhooks of each world, with their names. */
  readonly traffic: readonly (readonly { readonly [name: string]: ServedCall }[])[];
  /** True if everything was recorded. */
  readonly isWhole: boolean;
}

/** Reads the files of a folder that the processes of a run wrote. */
export function readRecord(folder: string): TestRecord {
  const run = {
    assumptions: new Set<string>(),
    events: new Set<string>(),
    operations: new Set<string>(),
    worlds: 0,
    set: new Map<string, number>(),
    injected: 0,
    isWhole: true,
  };
  const traffic = new Map<string, { readonly [name: string]: ServedCall }[]>();
  for (const file of globSync("*.jsonl", { cwd: folder })) {
    for (const line of linesOf(join(folder, file))) {
      if (line.kind === "cut") run.isWhole = false;
      else if (line.kind === "consulted") run.assumptions.add(line.assumption);
      else if (line.kind === "made") {
        run.worlds++;
        for (const id of line.set) run.set.set(id, (run.set.get(id) ?? 0) + 1);
      } else {
        const { exchange, name, world } = line;
        run[exchange.of === "event" ? "events" : "operations"].add(name);
        run.injected += exchange.injected.length;
        const key = `${file} ${world}`;
        traffic.set(key, [...(traffic.get(key) ?? []), { [name]: exchange }]);
      }
    }
  }
  // Processes share the worlds differently each time, so the worlds are sorted by their content.
  const sorted = [...traffic.values()].map((one) => ({ one, shape: shapeOf(one) }));
  sorted.sort((one, other) => (one.shape < other.shape ? -1 : one.shape > other.shape ? 1 : 0));
  return { ...run, traffic: sorted.map(({ one }) => one) };
}

/** Reads the lines of a record. The last line of a killed process may be broken, so it is left out. */
function linesOf(path: string): RecordedLine[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as RecordedLine);
}

/** Describes a world without the possibly random parts: numbers, and texts that have digits. */
function shapeOf(traffic: TestRecord["traffic"][number]): string {
  return JSON.stringify(traffic).replaceAll(/"[^"]*\d[^"]*"/g, "#");
}

/**
 * Compares the traffic of further runs with the traffic of a first run, by the parts that two equal runs have in
 * common.
 */
export class SameTraffic {
  readonly #first: TestRecord;
  readonly #drawn: ReadonlyMap<string, string>;
  readonly #named: ReturnType<typeof namedTraffic>;
  readonly #rules: ComparisonRules;
  /** False if the traffic of two equal runs is too different to recognise the traffic of a third run. */
  readonly isComparable: boolean;

  constructor(first: TestRecord, second: TestRecord) {
    this.#first = first;
    this.#drawn = drawnNames(originsOf(first), originsOf(second));
    this.#named = namedTraffic(first, this.#drawn);
    const again = namedTraffic(second, this.#drawn);
    this.#rules = rulesFor(this.#named, again);
    this.isComparable =
      first.isWhole &&
      second.isWhole &&
      first.injected === second.injected &&
      ["$", "$[*]", "$[*][*]"].every((path) => !this.#rules.unstable.has(path)) &&
      isCompared(this.#named, this.#rules);
  }

  /** Returns true if a run shows no difference in the platform's behaviour. */
  isSame(run: TestRecord): boolean {
    if (!this.isComparable || !run.isWhole || run.injected !== this.#first.injected) return false;
    if (run.traffic.length !== this.#first.traffic.length) return false;
    return stateDifferences(this.#named, namedTraffic(run, this.#drawn), this.#rules).length === 0;
  }
}

/** A text with a time. No other time may replace it. */
const TIME = /^-?\d+ s( \(\d digits\))?$/;

function originsOf({ traffic }: TestRecord): Map<string, string> {
  const origins = [...originsIn(traffic, "")];
  return new Map(origins.filter(([, text]) => !TIME.test(text)));
}

/** Returns the traffic. Values that only this run has are named by their origin. */
function namedTraffic(run: TestRecord, drawn: ReadonlyMap<string, string>) {
  return nameState(run.traffic, { names: namesOf(originsOf(run), drawn) });
}
