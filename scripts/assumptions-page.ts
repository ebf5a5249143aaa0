import {
  type Assumption,
  type AssumptionKind,
  whyFixed,
} from "../src/simulator/platform/assumptions/assumption.ts";
import { alternativesOf } from "../src/simulator/platform/assumptions/listing.ts";
import { areas } from "../src/simulator/platform/assumptions/assumptions.ts";
import { autopilotAssumptions } from "../src/simulator/platform/catalog.ts";
import { BY_PARTS, observerOf } from "../src/checks/calibration/observers/observers.ts";

const INTRODUCTION = `# Assumptions

This page lists the decisions of the sandbox about behaviour that the platform's interface leaves open. One command lists them with their values: \`sandbank assumptions\`.

If the platform behaves differently, set the assumption in one of these ways:

- on the command line: \`sandbank serve --assume charge.resend-delay=PT20M\`
- in \`sandbank.config.yaml\`, in a scenario or in \`createSandbox\`: \`assumptions: { charge.resend-delay: PT20M }\`
- for one world: \`POST /sandbox/worlds\` with \`{"assumptions": {"charge.resend-delay": "PT20M"}}\`

Durations are ISO 8601. They pass in sandbox time, so an advance of the clock also advances them. A few durations are in wall time and say so. Times of day are in America/Sao_Paulo.

Each entry has these parts:

- _Takes_: the possible values and the default. You can set assumptions that integrations depend on: times, limits, statuses, errors, the number and the order of events, fields of requests, and the treatment of late, wrong or missing payments.
- _Fixed_: the assumption cannot be set. The platform has no choice, or another value would make another interface. The entry says which.
- _Alternatives_: other values that a platform could have. An integration that works with each of them does not depend on the assumption. \`GET /sandbox/assumptions\` lists them as well.
- _Left open_: the words of the interface that leave the question open. _Because_: the reason for the decision.
- _Observed_: the sign in recorded traffic that \`sandbank calibrate\` looks at ([calibrate.md](calibrate.md)). _Not observed_: the reason why traffic cannot show it.
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
