import { type Assumption, type AssumptionKind, whyFixed } from "../src/platform/assumptions/assumption.ts";
import { alternativesOf } from "../src/platform/assumptions/listing.ts";
import { areas } from "../src/platform/assumptions/assumptions.ts";
import { autopilotAssumptions } from "../src/platform/catalog.ts";
import { BY_PARTS, observerOf } from "../src/tools/calibration/observers/observers.ts";

const INTRODUCTION = `# Assumptions

The interface leaves much open: it says "not shown", or nothing at all. Wherever the sandbox had to decide, this page lists the decision with the words that leave it open and the reason for it. If you know that the platform behaves differently, set the assumption, where it can be set.

An assumption is set in any of these ways:

- on the command line: \`sandbank serve --assume charge.resend-delay=PT20M\`
- in \`sandbank.config.yaml\`, in a scenario or in \`createSandbox\`: \`assumptions: { charge.resend-delay: PT20M }\`
- for one world: \`POST /sandbox/worlds\` with \`{"assumptions": {"charge.resend-delay": "PT20M"}}\`

\`sandbank assumptions\` and \`GET /sandbox/assumptions\` list them with the values in force. Durations are ISO 8601. They pass in sandbox time, so that advancing the clock advances them, except where wall time is named. Times of day are those of America/Sao_Paulo.

What can be set was chosen for what partners build on it: times and limits; which status and which error an answer has; whether an event comes, how often, and before or after which other one; what a request may contain; what becomes of money that comes late, is too much or does not suffice. An assumption stays _Fixed_ where a platform has no choice, or where a client that is built on it would be a client of another interface; each says which.

_Alternatives_ are other values that a platform could have: an integration that works with each of them does not depend on what the sandbox assumes. \`GET /sandbox/assumptions\` has them as well.

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

- ${setting(id, assumption)}
- Left open: ${assumption.leavesOpen}
- Because: ${assumption.because}
- ${observation(id, assumption)}
`;
}

function observation(id: string, assumption: Assumption<unknown>): string {
  const observer = observerOf(id, assumption);
  if (typeof observer !== "string") return `Observed: ${observer.how}`;
  return `${observer === BY_PARTS ? "Observed" : "Not observed"}: ${observer}`;
}

function setting(id: string, assumption: Assumption<unknown>): string {
  const { type, default: standard, parts, fixed } = assumption;
  if (type.kind !== "statement") {
    const others = alternativesOf(id, assumption).map(code);
    const doubts = others.length > 0 ? others.join(", ") : "none, as it is about the sandbox";
    return `Takes ${accepted(type)}; default ${code(standard)}\n- Alternatives: ${doubts}`;
  }
  if (fixed !== undefined) return `Fixed. ${whyFixed[fixed]}`;
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
