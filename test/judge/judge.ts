import { parseArgs } from "node:util";
import { drawOf } from "./draws.ts";
import type { ToolName } from "../partners/choices.ts";
import { type Judged, judge, kindOfCause, tools } from "./judging.ts";
import { accused, tableOf } from "./table.ts";

/**
 * `npm run judge -- --seed 1 --partners 300`: judges partners whose faults are known, and writes how often each tool is
 * right. `--partner N` judges one of them and writes what was said; `--tool NAME` uses one tool.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    partners: { type: "string", default: "300" },
    first: { type: "string", default: "0" },
    partner: { type: "string" },
    tool: { type: "string", multiple: true },
    factor: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});
const chosen = Object.keys(tools).filter(
  (name): name is ToolName => values.tool === undefined || values.tool.some((one) => name.includes(one)),
);
const first = Number(values.partner ?? values.first);
const last = values.partner === undefined ? first + Number(values.partners) : first + 1;
const judged: Judged[] = [];
const beganMs = performance.now();
for (let index = first; index < last; index++) {
  const drawn = drawOf(Number(values.seed), index);
  const draw = values.factor === undefined ? drawn : { ...drawn, factor: Number(values.factor) };
  const all = await judge(draw, chosen);
  judged.push(...all);
  if (values.partner !== undefined) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  if (process.stderr.isTTY || index % 100 === 99) process.stderr.write(`${index + 1 - first} partners\n`);
}
const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
process.stdout.write(`${tableOf(judged)}${judged.length} judgements in ${seconds} s\n`);
if (values.misses)
  for (const { tool, draw, truth, verdict, found, reason } of judged) {
    const isRight = verdict === "wrong" && kindOfCause(found[0] ?? { code: "" }, truth) === "right";
    if (truth.length === 0 ? verdict !== "right" : !isRight)
      process.stdout.write(
        `${tool} --seed ${values.seed} --partner ${draw.seed % 100_000} ×${draw.factor} [${draw.wrong.map(({ value }) => value.name).join(", ")}] ${verdict} ${reason ?? ""} ${found.map(({ by, code }) => `${by}: ${code}`).join(" | ")}\n`,
      );
  }
process.exitCode = accused(judged).length > 0 ? 1 : 0;
