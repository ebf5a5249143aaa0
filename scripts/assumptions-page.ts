import {
  type Assumption,
  type AssumptionKind,
  whyFixed,
} from "../src/simulator/platform/assumptions/assumption.ts";
import { alternativesOf } from "../src/simulator/platform/assumptions/listing.ts";
import { headingId } from "./heading-id.ts";
import { areas } from "../src/simulator/platform/assumptions/assumptions.ts";
import { autopilotAssumptions } from "../src/simulator/platform/catalog.ts";

/** Assumptions that decide what the code of a partner must do. */
const TEN = {
  "webhook.retry-intervals": "take the same webhook again, also hours later",
  "webhook.timeout": "answer a webhook in time, and work afterwards",
  "idempotency.retention": "repeat a call whose answer was lost before its key is forgotten",
  "auth.token-ttl": "get a new token, and send the same call again",
  "charge.retries-max": "stop ordering new attempts of a charge",
  "charge.resend-delay": "know a resent charge by `settlementErrorRetryRootId`",
  "payout.batch-threshold": "read one event about several parts of a payout",
  "payout.returns": "book a paid payout that comes back",
  "order.late-payment": "take money for an order that expired",
  "refund.insufficient-balance": "wait for the webhook of a refund before it tells the customer",
};

function introduction(): string {
  const ten = Object.entries(TEN).map(([id, task]) => `| ${linkTo(id)} | ${task} |`);
  return `# Assumptions

<!-- Generated from the assumptions by \`npm run generate\`. -->

The platform API leaves much open. Each decision of the sandbox about such a point is an assumption, with an id, a default and a reason.

If the platform behaves differently, set the assumption in one of these ways:

- on the command line: \`sandbank serve --assume charge.resend-delay=PT20M\`
- in \`sandbank.config.yaml\`, in a scenario or in \`createSandbox\`: \`assumptions: { charge.resend-delay: PT20M }\`
- for one world: \`POST /sandbox/worlds\` with \`{"assumptions": {"charge.resend-delay": "PT20M"}}\`

\`sandbank assumptions\` lists them with the values of your configuration. With \`--json\` each one has the words of the platform API that leave it open, and the sign in recorded traffic that [\`sandbank calibrate\`](calibrate.md) looks at.

## Ten that change your code

| assumption | your code must |
| --- | --- |
${ten.join("\n")}

## All that can be set

_Alternatives_ are other values that a platform could have. An integration that works with each of them does not depend on the assumption; [\`sandbank doubt\`](doubt.md) tries them. Durations are ISO 8601 and pass in sandbox time, unless their entry says wall time. Times of day are in America/Sao_Paulo.
`;
}

type Area = Readonly<Record<string, Assumption<unknown>>>;

/** The areas with the file of their page in `docs/assumptions`. */
const all: readonly (readonly [title: string, file: string, area: Area])[] = Object.entries({
  ...areas,
  Autopilot: { ...areas.Autopilot, ...autopilotAssumptions },
}).map(([title, area]) => [title, `${fileOf(title)}.md`, area]);

/** `docs/assumptions.md`: a table of those that can be set, and an appendix of the others. */
export function assumptionsPage(): string {
  return [introduction(), ...all.flatMap(settableTable), ...appendix()].join("\n");
}

/** The pages of `docs/assumptions`, by their path: every assumption of an area that can be set. */
export function areaPages(): { readonly path: string; readonly content: string }[] {
  return all.flatMap(([title, file, area]) => {
    const entries = Object.entries(area).filter(([, one]) => isSettable(one));
    if (entries.length === 0) return [];
    const text = [
      `# Assumptions: ${title.toLowerCase()}`,
      "<!-- Generated from the assumptions by `npm run generate`. -->",
      "[All areas](../assumptions.md) · [the fixed ones](../assumptions.md#fixed-ones)",
      ...entries.map(([id, one]) => entry(id, one)),
    ];
    return [{ path: `docs/assumptions/${file}`, content: `${text.join("\n\n")}\n` }];
  });
}

function fileOf(title: string): string {
  return title
    .replace(/ \(.*\)$/, "")
    .toLowerCase()
    .replaceAll(" ", "-");
}

/** Returns true if the assumption has a value, or parts that have one. */
function isSettable({ type, parts }: Assumption<unknown>): boolean {
  return type.kind !== "statement" || parts !== undefined;
}

/** Returns the link to the entry of an assumption that can be set. */
function linkTo(id: string): string {
  const [, file = ""] = all.find(([, , area]) => Object.hasOwn(area, id)) ?? [];
  return `[\`${id}\`](assumptions/${file}#${headingId(id)})`;
}

function settableTable([title, , area]: (typeof all)[number]): string[] {
  const rows = Object.entries(area)
    .filter(([, one]) => one.type.kind !== "statement")
    .map(([id, one]) => {
      const others = alternativesOf(id, one).map(code).join(", ");
      const [says = ""] = one.says.split(/(?<=\.) /);
      return `| ${linkTo(id)} | ${code(one.default)} | ${others} | ${says} |`;
    });
  if (rows.length === 0) return [];
  return [`### ${title}\n`, "| id | default | alternatives | |\n| --- | --- | --- | --- |", ...rows, ""];
}

function appendix(): string[] {
  const fixed = all.flatMap(([, , area]) =>
    Object.entries(area).flatMap(([id, one]) =>
      isSettable(one) || one.fixed === undefined ? [] : [{ id, says: one.says, why: one.fixed }],
    ),
  );
  const reasons = Object.entries(whyFixed).filter(([why]) => fixed.some((one) => one.why === why));
  return [
    "## Fixed ones\n",
    "These cannot be set. The second column has the reason:\n",
    ...reasons.map(([why, sentence]) => `- _${why}_: ${sentence}`),
    "\n| id | reason | what the sandbox does |\n| --- | --- | --- |",
    ...fixed.map(({ id, says, why }) => `| \`${id}\` | ${why} | ${says.replaceAll("|", "\\|")} |`),
    "",
  ];
}

function entry(id: string, assumption: Assumption<unknown>): string {
  return `## \`${id}\`

${assumption.says}

${setting(assumption)} ${assumption.because}`;
}

function setting({ type, default: standard, parts }: Assumption<unknown>): string {
  if (type.kind !== "statement") return `Takes ${accepted(type)}; default ${code(standard)}.`;
  return `Set by its parts: ${(parts ?? []).map(code).join(", ")}.`;
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
