import type { Assumption, AssumptionKind } from "./assumption.ts";
import { type AssumptionValues, areas } from "./assumptions.ts";
import { assumptions, autopilotAssumptions } from "../catalog.ts";

/** One assumption as `sandbank assumptions` and `GET /sandbox/assumptions` show it. */
export interface ListedAssumption {
  readonly id: string;
  readonly type: AssumptionKind;
  /** Null for a statement. */
  readonly default: unknown;
  /** What this world assumes: the default where no other value was set. */
  readonly value: unknown;
  readonly settable: boolean;
  readonly says: string;
  readonly leavesOpen: string;
  readonly because: string;
  /** How recorded traffic shows it; null where it cannot. */
  readonly observed: string | null;
  /** Why recorded traffic cannot show it; null where it can. */
  readonly notObserved: string | null;
}

/** Every assumption in the order of the catalog, with the values of a world. */
export function listAssumptions(values: AssumptionValues = {}): readonly ListedAssumption[] {
  return Object.entries(assumptions).map(
    ([id, { type, default: standard, says, leavesOpen, because, observed }]) => ({
      id,
      type,
      default: standard,
      value: values[id] ?? standard,
      settable: type.kind !== "statement",
      says,
      leavesOpen,
      because,
      observed: typeof observed === "string" ? null : observed.how,
      notObserved: typeof observed === "string" ? observed : null,
    }),
  );
}

const INTRODUCTION = `# Assumptions

The interface leaves much open: it says "not shown", or nothing at all. Wherever the sandbox had to decide, this page lists the decision with the words that leave it open and the reason for it. If you know that the platform behaves differently, set the assumption, where it can be set.

An assumption is set in any of these ways:

- on the command line: \`sandbank serve --assume charge.resend-delay=PT20M\`
- in \`sandbank.config.yaml\`, in a scenario or in \`createSandbox\`: \`assumptions: { charge.resend-delay: PT20M }\`
- for one world: \`POST /sandbox/worlds\` with \`{"assumptions": {"charge.resend-delay": "PT20M"}}\`

\`sandbank assumptions\` and \`GET /sandbox/assumptions\` list them with the values in force. Durations are ISO 8601. They pass in sandbox time, so that advancing the clock advances them, except where wall time is named. Times of day are those of America/Sao_Paulo.

\`sandbank calibrate\` reads recorded traffic of the platform and reports which assumptions it keeps ([calibrate.md](calibrate.md)). _Observed_ says what it looks at, _Not observed_ why traffic cannot show it.
`;

type Area = Readonly<Record<string, Assumption<unknown>>>;

/** `docs/assumptions.md`: every assumption by area. */
export function assumptionsPage(): string {
  const all: Readonly<Record<string, Area>> = {
    ...areas,
    Autopilot: { ...areas.Autopilot, ...autopilotAssumptions },
  };
  return [INTRODUCTION, ...Object.entries(all).map(([title, area]) => section(title, area))].join("\n");
}

function section(title: string, area: Area): string {
  const entries = Object.entries(area).map(([id, assumption]) => entry(id, assumption));
  return `## ${title}\n\n${entries.join("\n")}`;
}

function entry(id: string, assumption: Assumption<unknown>): string {
  return `### \`${id}\`

${assumption.says}

- ${setting(assumption)}
- Left open: ${assumption.leavesOpen}
- Because: ${assumption.because}
- ${observation(assumption)}
`;
}

function observation({ observed, parts }: Assumption<unknown>): string {
  if (typeof observed !== "string") return `Observed: ${observed.how}`;
  return parts === undefined ? `Not observed: ${observed}` : `Observed: ${observed}`;
}

function setting({ type, default: standard, parts }: Assumption<unknown>): string {
  if (type.kind !== "statement") return `Takes ${accepted(type)}; default ${code(standard)}`;
  return parts === undefined ? "Fixed" : `Set by its parts: ${parts.map(code).join(", ")}`;
}

function accepted(type: Exclude<AssumptionKind, { kind: "statement" }>): string {
  switch (type.kind) {
    case "flag":
      return "true or false";
    case "duration":
      return type.clock === "wall" ? "a duration in wall time" : "a duration";
    case "durations":
      return `${type.length} durations, as a list or with commas between them`;
    case "time":
      return "a time of day";
    case "amount":
      return "an amount in BRL";
    case "count":
      return `a whole number from ${type.min} to ${type.max}`;
    case "choice":
      return type.choices.map(code).join(", ");
  }
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}
