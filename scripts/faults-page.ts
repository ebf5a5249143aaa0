import type { Effect, EffectField } from "../src/simulator/platform/faults/effect.ts";
import { effectFamilies } from "../src/simulator/platform/faults/effects.ts";

type EffectFamily = keyof typeof effectFamilies;

const TITLES: Readonly<Record<EffectFamily, string>> = {
  schedule: "Delivery: the number, order and time of webhooks",
  signature: "Signature: the secret and the header",
  body: "Body and headers",
  wire: "Wire: the connection",
  api: "The interface itself",
  clock: "The clock",
};

const INTRODUCTION = `# Faults

This page is the reference of faults. A fault makes a webhook, a call or the clock fail on purpose, in the same way every time. One command adds a fault: \`curl http://127.0.0.1:4010/sandbox/faults -d '{"on": "webhook", "effect": "duplicate"}'\`.

A fault can also be a step of a scenario, or a call of \`sandbox.fault(…)\`:

\`\`\`yaml
- fault: { on: webhook, event: SUBSCRIPTION.*, effect: duplicate, times: 1 }
\`\`\`

## Selectors

All selectors are optional. A fault takes effect if all of its selectors match. A fault without selectors always takes effect.

- \`event\`: a glob over the event's name; \`*\` matches any text
- \`object\`: only this object, by its id
- \`objectNumber\`: only the n-th object. For webhooks, the objects of a collection are numbered by their first events. For calls, the objects are numbered by the first call of the operation after the fault was added. A call names its object in the path or by \`externalId\`.
- \`operation\`: only this operation; for webhooks, only the events of its calls
- \`nth\`: only the n-th match after the fault was added
- \`attempt\`: only these attempts of a delivery: a number or a list
- \`between\`: from the first time up to, but not including, the second time
- \`probability\`: only with this probability, drawn from the seed
- \`times\`: only until the fault has had this number of hits

Faults on the clock take only \`object\`, \`nth\`, \`between\`, \`probability\` and \`times\`. \`last-day\` takes no selectors.

## Rules

- The effects of the section Delivery, and \`rotate-mid-retry\`, apply to an event once, before its first attempt. \`drop\`, \`outage\` and all other effects apply to each attempt: \`nth\` and \`times\` then count attempts.
- If two faults would change the same thing, the older fault takes effect.
- A changed attempt has the name of the fault in \`injected\`. The request itself does not show the fault, so a receiver cannot recognize it.
- A dropped attempt is one of the five attempts.
- A copy is a separate delivery (\`duplicateOf\`) with one attempt and the trigger \`injected\`. It does not count as an attempt of the original, and is never listed as undelivered.
- \`GET /sandbox/faults\` lists the faults with their hits, and every effect. \`DELETE /sandbox/faults\` removes all faults, \`DELETE /sandbox/faults/{id}\` removes one.
- When a fault is removed, events that \`late\` and \`together\` still hold back are sent, and then the copies of \`duplicate-at-end\`.
`;

const SABOTAGE = `## Sabotage

A sabotage is a behaviour that no platform has. Your tests should fail with it. If they pass, they do not check its subject. Each sabotage is one fault without a limit. It is added when a world starts and after each reset. \`SANDBANK_MUTANT=sabotage:ID\` selects it for every world whose settings do not select another.

- \`event.EVENT.never\`: \`{ on: webhook, event: EVENT, effect: lose }\`
- \`event.EVENT.other-amount\`: \`{ on: webhook, event: EVENT, effect: other-amount }\`
- \`event.EVENT.failure\`: \`{ on: webhook, event: EVENT, effect: failure }\`
- \`operation.ID.fails\`: \`{ on: api, operation: ID, effect: error, status: 500 }\`
- \`operation.ID.other-amount\`: \`{ on: api, operation: ID, effect: answer-other-amount }\`
- \`signatures.wrong\`: \`{ on: webhook, effect: wrong-secret }\`
- \`settlement.never\`: \`{ on: clock, effect: never-settles }\`
- \`clock.next-day-never\`: \`{ on: clock, effect: last-day }\`
`;

/** `docs/faults.md`: every effect, its change on the wire, and the mistake that it finds. */
export function faultsPage(): string {
  const families = Object.entries(effectFamilies) as [EffectFamily, Readonly<Record<string, Effect>>][];
  const sections = families.map(([family, effects]) => {
    const entries = Object.entries(effects).map(([name, effect]) => entry(name, effect));
    return `## ${TITLES[family]}\n\n${entries.join("\n")}`;
  });
  return [INTRODUCTION, ...sections, SABOTAGE].join("\n");
}

const SEEN = { webhook: "on the wire", api: "for the caller", clock: "effect" } as const;

function entry(name: string, { on, fields, needsBetween, onTheWire, uncovers }: Effect): string {
  const needs = needsBetween === true ? ["- needs `between`"] : [];
  const lines = [
    `- on: ${on}`,
    ...needs,
    ...Object.entries(fields).map(([field, written]) => fieldLine(field, written)),
    `- ${SEEN[on]}: ${onTheWire}`,
    `- uncovers: ${uncovers}`,
  ];
  return `### \`${name}\`\n\n${lines.join("\n")}\n`;
}

function fieldLine(name: string, { required = false, default: preset, description }: EffectField): string {
  const isOptional = preset === null || preset === undefined;
  const presence = required ? "required" : isOptional ? "optional" : `default \`${preset}\``;
  return `- \`${name}\` (${presence}): ${description}`;
}
