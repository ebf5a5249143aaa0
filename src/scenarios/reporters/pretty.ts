import { styleText } from "node:util";
import type { ScenarioFailure, ScenarioResult } from "../result.ts";
import { coverageLines } from "../coverage.ts";
import { countResults } from "./count.ts";
import { differenceLines, placeOf, storyLines, whyLines } from "./failure.ts";
import type { MakeReporter } from "./reporter.ts";
import { visible } from "./visible.ts";

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** A line of progress has to stay one line, or it could not be written over. */
const progressMax = 76;

const marks = { passed: "✓", failed: "✗", skipped: "-" } as const;
const colours = { passed: "green", failed: "red", skipped: "yellow" } as const;

/** For a person at a terminal: a line per scenario as it ends, and of a failure all that helps to mend it. */
export const prettyReporter: MakeReporter = ({ write, isTerminal = false, isColoured = isTerminal }) => {
  const paint: Paint = (format, text) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  let total = 0;
  let done = 0;
  const underWay = new Set<string>();
  const showProgress = (): void => {
    if (!isTerminal || done >= total) return;
    const [oldest = ""] = underWay;
    write(`\r\u001B[2K${paint("dim", `${done}/${total} … ${visible(oldest)}`.slice(0, progressMax))}`);
  };
  return {
    started(count) {
      total = count;
      showProgress();
    },
    began(name) {
      underWay.add(name);
      showProgress();
    },
    finished(result) {
      // The line of progress is written over by the result, and again below it.
      if (isTerminal) write("\r\u001B[2K");
      done += 1;
      underWay.delete(result.name);
      write(`${resultLines(result, paint).join("\n")}\n`);
      showProgress();
    },
    ended(results, coverage) {
      const count = countResults(results);
      const told = (["passed", "failed", "skipped"] as const)
        .filter((verdict) => count[verdict] > 0)
        .map((verdict) => paint(colours[verdict], `${count[verdict]} ${verdict}`));
      write(`\n${told.join(", ") || "No scenario was run"}.\n`);
      if (coverage !== undefined) write(`\n${coverageLines(coverage).join("\n")}\n`);
    },
  };
};

function resultLines(result: ScenarioResult, paint: Paint): string[] {
  const mark = paint(colours[result.status], marks[result.status]);
  const place = paint("dim", result.file);
  const line = `${mark} ${visible(result.name)} ${place}`;
  if (result.skipped !== undefined) return [line, `    ${result.skipped}`];
  return result.failure === undefined ? [line] : [line, ...failureBlock(result, result.failure, paint)];
}

function failureBlock(result: ScenarioResult, failure: ScenarioFailure, paint: Paint): string[] {
  const steps = result.steps
    .filter(({ status }) => status !== "skipped")
    .map(({ number, title, status, note }) => {
      const mark = paint(colours[status], marks[status]);
      const remark = note === undefined ? "" : paint("dim", `  ${visible(note)}`);
      return `${mark} ${number}. ${visible(title)}${remark}`;
    });
  const differences = failure.differences.flatMap((difference) => {
    const [path = "", ...values] = differenceLines(difference);
    return ["", paint("bold", visible(path)), ...values.map((line) => paintValue(line, paint))];
  });
  const story = storyLines(failure).map(visible);
  const why = whyLines(failure).map(visible);
  const block = [
    "",
    ...steps,
    "",
    paint("red", visible(failure.message)),
    `at ${placeOf(result, failure)}`,
    ...differences,
    ...(story.length === 0 ? [] : ["", paint("bold", "What happened just before"), ...story]),
    ...(why.length === 0 ? [] : ["", paint("bold", `Why ${failure.why?.objectId} is as it is`), ...why]),
    "",
  ];
  return block.map((line) => (line === "" ? "" : `    ${line}`));
}

function paintValue(line: string, paint: Paint): string {
  return line.replace(/^ {2}(expected|found):/, (label) =>
    paint(label.trim() === "found:" ? "red" : "green", label),
  );
}
