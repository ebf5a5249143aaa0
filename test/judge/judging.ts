import { stringify } from "yaml";
import { Payer } from "../partners/payer.ts";
import type { Draw } from "./draws.ts";
import { type ToolName, type Value, choices } from "../partners/choices.ts";
import { Machine } from "../partners/machine.ts";
import { NightlyPartner } from "../partners/nightly.ts";
import { Receiver, SECRET } from "../partners/receiver.ts";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import type { Exploration, ExploreResult } from "../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../src/checks/explore/explore.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { nameOf } from "../../src/checks/explore/deviations.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { receiverReport } from "../../src/checks/receiver/receiver-check.ts";
import {
  certificateOf,
  partOfExplorations,
  partOfReceiver,
} from "../../src/checks/certification/certificate.ts";
import type { CauseCode } from "../../src/checks/cause-texts.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import { scenarios } from "../partners/scenarios.ts";
import { type ReceiverReport, verdictOf } from "../../src/checks/receiver/report.ts";

/** A cause that a tool names. */
export interface FoundCause {
  readonly code: string;
  readonly cause: string;
}

/** What a tool says of a partner. */
export interface Said {
  readonly verdict: "right" | "wrong" | "undecided";
  /** What it found, the smallest first, each with the schedule or the check that shows it. */
  readonly found: readonly (FoundCause & { readonly by: string; readonly size: number })[];
  readonly reason?: string | undefined;
}

/** The judgement of a tool about a partner, held against the truth. */
export interface Judged extends Said {
  readonly tool: ToolName;
  readonly draw: Draw;
  /** The wrong values that the tool can show. */
  readonly truth: Draw["wrong"];
}

/** The results that several tools judge by. Each is made once for all tools of a partner. */
interface Runs {
  readonly webhooks: () => Promise<ExploreResult>;
  readonly calls: () => Promise<ExploreResult>;
  readonly nights: () => Promise<ExploreResult>;
  readonly books: () => Promise<ExploreResult>;
  readonly receiver: () => Promise<ReceiverReport>;
}

export const tools: Readonly<Record<ToolName, (runs: Runs, draw: Draw) => Promise<Said>>> = {
  "explore webhooks": async ({ webhooks }) => saidBy(await webhooks()),
  "explore calls": async ({ calls }) => saidBy(await calls()),
  "receiver check": async ({ receiver }) => saidOfChecks(await receiver()),
  "explore nights": async ({ nights }) => saidBy(await nights()),
  books: async ({ books }) => saidOfBooks(await books()),
  lints: async ({ calls }) => saidOfLints(await calls()),
  certify,
};

function runsOf(draw: Draw): Runs {
  const once = <Result>(run: (draw: Draw) => Promise<Result>): (() => Promise<Result>) => {
    let made: Promise<Result> | undefined;
    return () => (made ??= run(draw));
  };
  return {
    webhooks: once(webhooksExplored),
    calls: once(callsExplored),
    nights: once(nightsExplored),
    books: once(booksExplored),
    receiver: once(receiverChecked),
  };
}

/** Judges a partner: a right one with all tools, a wrong one with those that can show what is wrong. */
export async function judge(draw: Draw, only: readonly ToolName[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  const runs = runsOf(draw);
  for (const tool of only) {
    // An order that is never tried again has one key, and no suspicious second call.
    const isTriedOnce = tool === "lints" && draw.values.night === "the cursor passes open orders";
    const truth = isTriedOnce ? [] : draw.wrong.filter(({ value }) => isShownBy(value, tool));
    if (truth.length === 0 && draw.wrong.length > 0) continue;
    judged.push({ tool, draw, truth, ...(await tools[tool](runs, draw)) });
  }
  return judged;
}

/** The tools whose results the certificate has. */
const CERTIFIED: ReadonlySet<ToolName> = new Set(["receiver check", "explore webhooks", "books"]);

function isShownBy({ wrong }: Value, tool: ToolName): boolean {
  const shownBy = wrong?.shownBy ?? [];
  return tool === "certify" ? shownBy.some((one) => CERTIFIED.has(one)) : shownBy.includes(tool);
}

/** How a cause that a tool names relates to what is wrong. */
export function kindOfCause(
  { code }: Pick<FoundCause, "code">,
  truth: Draw["wrong"],
): "right" | "less exact" | "another's" | "of none" {
  const isOf = (values: Draw["wrong"]): boolean =>
    values.some(({ value }) => value.wrong?.causes.some((one) => one === code) === true);
  if (isOf(truth)) return "right";
  if (LESS_EXACT.has(code)) return "less exact";
  const all = Object.entries(choices).flatMap(([choice, values]) =>
    values.map((value) => ({ choice, value }) as Draw["wrong"][number]),
  );
  return isOf(all) ? "another's" : "of none";
}

/** The codes that say only what is certain. */
const LESS_EXACT: ReadonlySet<string> = new Set(["depends-on-order", "event-lost"] satisfies CauseCode[]);

const SETTLE_MS = 200;

function exploration(
  scenario: object,
  { machine, partner, seed }: { machine: Machine; partner: Receiver | Payer | NightlyPartner; seed: number },
): Exploration {
  const { scenarios: parsed, mistakes } = parseScenario(stringify(scenario), "judged", scenarioContext());
  if (mistakes[0] !== undefined) throw new Error(mistakes[0].message);
  return {
    scenario: assertDefined(parsed[0], "a scenario"),
    wall: machine.wall,
    receiver: partner.receive,
    probe: partner.probe,
    reset: async () => partner.reset(),
    openSandbox,
    seed,
    settleMs: SETTLE_MS,
    repeat: 3,
    depth: 1,
    timeMs: 30 * 86_400_000,
  };
}

/** Explores a partner's webhooks by its kills alone. */
export async function exploreKills(draw: Draw): Promise<Said> {
  return saidBy(await webhooksExplored(draw, KILLS));
}

async function webhooksExplored(
  draw: Draw,
  only: readonly (typeof WEBHOOKS)[number][] = WEBHOOKS,
): Promise<ExploreResult> {
  using machine = new Machine(draw.factor, draw.seed);
  const partner = new Receiver(draw.values, machine);
  const { result } = await exploreScenario({
    ...exploration(scenarios.life, { machine, partner, seed: draw.seed }),
    openSandbox: async (...given) => {
      const opened = await openSandbox(...given);
      partner.platform = (path, init) => opened.sandbox.fetch(path, init);
      return opened;
    },
    partner: partner.process,
    only,
  });
  return result;
}

const KILLS = ["killed-before-answer", "killed-after-answer"] as const;

const WEBHOOKS = [
  "late",
  "twice",
  "twice-late",
  "twice-at-once",
  "answer-lost",
  "first-try-lost",
  "early",
  "together",
  ...KILLS,
] as const;

async function nightsExplored(draw: Draw): Promise<ExploreResult> {
  using machine = new Machine(draw.factor, draw.seed);
  const partner = new NightlyPartner(draw.values, machine);
  const { result } = await exploreScenario({
    ...exploration(scenarios.nights, { machine, partner, seed: draw.seed }),
    client: partner.client,
    partner: partner.process,
    only: KILLS,
  });
  return result;
}

/** Judges by the suspicious calls that the exploration lists. */
function saidOfLints({ lints = [] }: ExploreResult): Said {
  return {
    verdict: lints.length > 0 ? "wrong" : "right",
    found: lints.map(({ lint, message }) => ({ by: lint, size: 1, code: lint, cause: message })),
  };
}

async function callsExplored(draw: Draw): Promise<ExploreResult> {
  using machine = new Machine(draw.factor, draw.seed);
  const partner = new Payer(draw.values, machine, { seed: draw.seed });
  const { result } = await exploreScenario({
    ...exploration(scenarios.payouts, { machine, partner, seed: draw.seed }),
    client: partner.client,
    only: CALLS,
  });
  return result;
}

const CALLS = [
  "call-refused",
  "call-lost",
  "call-answer-lost",
  "call-fails-after",
  "call-limited",
  "token-expired",
] as const;

function saidOfBooks(result: ExploreResult): Said {
  const said = saidBy(result);
  const ofBooks = result.divergences.filter(({ books }) => books !== undefined);
  return {
    ...said,
    found: ofBooks.map(({ deviations, differences }) => ({
      by: nameOf(deviations),
      size: deviations.length,
      code: differences[0]?.path ?? "",
      cause: "",
    })),
  };
}

async function booksExplored(draw: Draw): Promise<ExploreResult> {
  using machine = new Machine(draw.factor, draw.seed);
  const partner = new Receiver(draw.values, machine);
  const { result } = await exploreScenario({
    ...exploration(scenarios.sales, { machine, partner, seed: draw.seed }),
    only: ["twice"],
    books: { totals: { received: "$.received", refunded: "$.refunded", paidOut: "$.paidOut" } },
  });
  return result;
}

function saidBy({ verdict, reason, unfinished, divergences }: ExploreResult): Said {
  return {
    verdict: verdict === "converges" ? "right" : verdict === "diverges" ? "wrong" : "undecided",
    reason: reason ?? unfinished,
    found: divergences.map(({ deviations, cause }) => ({
      by: nameOf(deviations),
      size: deviations.length,
      code: cause.code,
      cause: cause.text,
    })),
  };
}

/** Judges by the certificate over the checks of the receiver, its exploration and the comparison of its books. */
async function certify({ receiver, webhooks, books }: Runs, draw: Draw): Promise<Said> {
  const checked = await receiver();
  const results = [await webhooks(), await books()];
  const outcomes = { receiver: partOfReceiver(checked), explore: partOfExplorations(results) } as const;
  const { verdict, parts } = certificateOf({
    parts: [
      { name: "receiver", ...outcomes.receiver },
      { name: "explore", ...outcomes.explore },
    ],
    seed: draw.seed,
    use: undefined,
    repeat: [],
    subject: { date: "2026-11-20", capabilities: [], language: "en" },
  });
  return {
    verdict: verdict === "passed" ? "right" : verdict === "failed" ? "wrong" : "undecided",
    reason: parts.find((part) => part.verdict === "not-judged")?.reasons[0],
    found: [saidOfChecks(checked), ...results.map(saidBy)].flatMap(({ found }) => found),
  };
}

async function receiverChecked(draw: Draw): Promise<ReceiverReport> {
  using machine = new Machine(draw.factor, draw.seed);
  const partner = new Receiver(draw.values, machine);
  return await receiverReport({
    url: "http://receiver.example/webhooks",
    secret: SECRET,
    seed: draw.seed % 2 ** 31,
    wall: machine.wall,
    openSandbox,
    time: 86_400_000,
    budget: 100_000,
    process: partner.process,
    endpoint: { receive: partner.receive, probe: partner.probe },
  });
}

function saidOfChecks(report: ReceiverReport): Said {
  const verdict = verdictOf(report);
  const failed = report.checks.filter(({ verdict, level }) => verdict === "fail" && level === "must");
  return {
    verdict: verdict === "passed" ? "right" : verdict === "failed" ? "wrong" : "undecided",
    reason: report.checks.find(({ verdict }) => verdict === "inconclusive")?.cause,
    found: failed.map(({ id, code = id, cause = "" }) => ({ by: id, size: 1, code, cause })),
  };
}
