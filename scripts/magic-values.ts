import { assumptions, steps } from "../src/simulator/platform/catalog.ts";
import { failureCodes, failureMessage } from "../src/simulator/platform/payouts/failures.ts";
import { type KnownPayer, magicPayers } from "../src/simulator/platform/payers/payer.ts";
import { loadFixtures } from "../src/server/access/fixture-files.ts";
import { PLAN_HEADER } from "../src/server/request.ts";

/** The values of a request that decide what comes of it, as a table of `docs/running.md`. */
export function magicValuesTable(): string {
  const { companies, "pix-keys": pixKeys, "known-payers": knownPayers, cards } = loadFixtures();
  const [first] = companies;
  const keys = pixKeys.flatMap((fixture) => {
    if (!("settlement" in fixture) || fixture.settlement === undefined) return [];
    const { outcome, delay } = fixture.settlement;
    const after = delay === undefined ? "" : `, after ${delay}`;
    return [["PIX key of a payout", fixture.key, `${outcome}${after}; owner: ${fixture.owner.name}`]];
  });
  const failing = failureCodes.map((code) => [
    "PIX key of a payout",
    `${code.toLowerCase()}@pix.example`,
    `ERROR, ${failureMessage(code)}`,
  ]);
  const payers = [...knownPayers, ...magicPayers].map((payer) => [
    "CPF of a payer, debtor or customer",
    payer.id,
    decisions(payer),
  ]);
  const numbers = cards.flatMap(({ id, token, outcome, declineReason, isChallenged }) => {
    const challenge = isChallenged ? " after a 3-D Secure challenge" : "";
    const reason = declineReason === undefined ? "" : `: ${declineReason}`;
    const happens = `${outcome}${challenge}${reason}`;
    return [
      ["number of a card", id, happens],
      ["`cardToken`", token, happens],
    ];
  });
  const accounts = (first?.accounts ?? []).map(({ id, status, balance }) => [
    "account",
    id,
    status === "ACTIVE" ? `ACTIVE, with ${balance}` : `${status}: refused if an ACTIVE account is required`,
  ]);
  const threshold = String(assumptions["payout.batch-threshold"]?.default);
  const rows = [
    ...keys,
    ...failing,
    ...payers,
    ...numbers,
    ...accounts,
    ["bearer token", first?.tokenWithoutScope ?? "", "403 `FORBIDDEN_ERROR`"],
    ["amount of a payout", `above ${threshold}`, "split into a batch (`payout.batch-threshold`)"],
    ["amount of a payout", "above the balance", "400, issue `INSUFFICIENT_BALANCE`"],
    ...Array.from(steps.values(), ({ step: { name, outcomes, summary } }) => [
      `header \`${PLAN_HEADER}\`, or a plan`,
      `${name}=${outcomes.filter((outcome) => !outcome.includes(":")).join(" | ")}`,
      outcomes.some((outcome) => outcome.includes(":"))
        ? `${summary}; with a code of the list above: \`${name}=ERROR:AC06\``
        : summary,
    ]),
  ];
  const lines = rows.map(
    ([where, value = "", happens]) => `| ${where} | \`${value.replaceAll("|", "\\|")}\` | ${happens} |`,
  );
  return ["| place | value | effect |", "| --- | --- | --- |", ...lines].join("\n");
}

function decisions({ name, outcomes, rejectionCode, cancelsAfter }: KnownPayer): string {
  const decided = Object.entries(outcomes).map(([step, outcome]) =>
    typeof outcome === "string"
      ? `\`${step}\` ${outcome}`
      : `\`${step}\` ${outcome[0]}, and ${outcome[1]} for a new attempt`,
  );
  const code = rejectionCode === undefined ? [] : [`the code is ${rejectionCode}`];
  const cancels = cancelsAfter === undefined ? [] : [`asks to cancel ${cancelsAfter} after the acceptance`];
  return `${name}: ${[...decided, ...code, ...cancels].join("; ")}`;
}
