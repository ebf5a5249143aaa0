import type { AssumptionVerdict } from "./verdict.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { FileMistakes } from "../../base/failures.ts";
import { readUserText } from "../../base/user-file.ts";

/** The verdict of recorded traffic on each assumption, by its id. */
export type EarlierResults = ReadonlyMap<string, AssumptionVerdict["verdict"]>;

const VERDICTS: ReadonlySet<unknown> = new Set<AssumptionVerdict["verdict"]>([
  "confirmed",
  "contradicted",
  "inconsistent",
  "not-seen",
]);

/** Reads the JSON report of `sandbank calibrate`. Throws a FileMistakes if it is another file. */
export function readResults(path: string): EarlierResults {
  const report = parsed(textOf(path));
  const listed = isRecord(report) ? report["assumptions"] : undefined;
  const results = new Map<string, AssumptionVerdict["verdict"]>();
  for (const one of Array.isArray(listed) ? listed : [])
    if (isRecord(one) && typeof one["id"] === "string" && VERDICTS.has(one["verdict"]))
      results.set(one["id"], one["verdict"] as AssumptionVerdict["verdict"]);
  if (results.size > 0) return results;
  throw new FileMistakes(
    `Failed to read ${path}: it is no report of the assumptions. Write one: sandbank calibrate FILE.har --reporter json=calibration.json.`,
  );
}

function textOf(path: string): string {
  try {
    return readUserText(path);
  } catch (error) {
    throw new FileMistakes(
      `Failed to read ${path}: ${(error as Error).message}. Name the report with --report.`,
    );
  }
}
