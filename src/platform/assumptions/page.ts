import type { Assumption, AssumptionKind } from "./assumption.ts";
import { accountAssumptions } from "./accounts.ts";
import { authenticationAssumptions } from "./authentication.ts";
import { autopilotAssumptions } from "../catalog.ts";
import { payerAssumptions } from "./autopilot.ts";
import { cancellationAssumptions } from "./cancellations.ts";
import { claimAssumptions } from "./claims.ts";
import { httpAssumptions } from "./http.ts";
import { orderAssumptions } from "./orders.ts";
import { payloadAssumptions } from "./payloads.ts";
import { payoutAssumptions } from "./payouts.ts";
import { refundAssumptions } from "./refunds.ts";
import { scheduledPaymentAssumptions } from "./scheduled-payments.ts";
import { subscriptionAssumptions } from "./subscriptions.ts";
import { webhookAssumptions } from "./webhooks.ts";

const AREAS: readonly (readonly [title: string, area: Readonly<Record<string, Assumption<unknown>>>])[] = [
  ["HTTP", httpAssumptions],
  ["Authentication", authenticationAssumptions],
  ["Payloads and idempotency", payloadAssumptions],
  ["Accounts", accountAssumptions],
  ["Subscriptions", subscriptionAssumptions],
  ["Cancellations of subscriptions", cancellationAssumptions],
  ["Charges (scheduled payments)", scheduledPaymentAssumptions],
  ["Transparent orders", orderAssumptions],
  ["Refunds", refundAssumptions],
  ["Payouts", payoutAssumptions],
  ["PIX key claims", claimAssumptions],
  ["Webhooks", webhookAssumptions],
  ["Autopilot", { ...payerAssumptions, ...autopilotAssumptions }],
];

const INTRODUCTION = `# Assumptions

The interface leaves much open: it says "not shown", or nothing at all. Wherever the sandbox had to decide, the decision is listed here with the words that leave it open and the reason for it. If the platform is known to behave in another way, set what can be set.

An assumption is set in any of these ways:

- on the command line: \`sandbank serve --assume charge.resend-delay=PT20M\`
- in \`sandbank.config.yaml\`, in a scenario or in \`createSandbox\`: \`assumptions: { charge.resend-delay: PT20M }\`
- for one world: \`POST /sandbox/worlds\` with \`{"assumptions": {"charge.resend-delay": "PT20M"}}\`

\`sandbank assumptions\` and \`GET /sandbox/assumptions\` list them with the values in force. Durations are ISO 8601. They pass in sandbox time, so that advancing the clock advances them, unless wall time is named. Times of day are those of America/Sao_Paulo.
`;

/** `docs/assumptions.md`: every assumption by area, for a partner to read. */
export function assumptionsPage(): string {
  return [INTRODUCTION, ...AREAS.map(([title, area]) => section(title, area))].join("\n");
}

function section(title: string, area: Readonly<Record<string, Assumption<unknown>>>): string {
  return `## ${title}\n\n${Object.entries(area)
    .map(([id, known]) => entry(id, known))
    .join("\n")}`;
}

function entry(id: string, known: Assumption<unknown>): string {
  return `### \`${id}\`

${known.says}

- ${setting(known)}
- Left open: ${known.leavesOpen}
- Because: ${known.because}
`;
}

function setting({ type, default: standard, parts }: Assumption<unknown>): string {
  if (type.kind !== "statement") return `Takes ${values(type)}; default ${code(standard)}`;
  return parts === undefined ? "Fixed" : `Set by its parts: ${parts.map(code).join(", ")}`;
}

function values(type: Exclude<AssumptionKind, { kind: "statement" }>): string {
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
