import type { Effect, EffectField } from "../src/platform/faults/effect.ts";
import { effectFamilies } from "../src/platform/faults/effects.ts";

type EffectFamily = keyof typeof effectFamilies;

const TITLES: Readonly<Record<EffectFamily, string>> = {
  schedule: "Schedule: what is sent, and when",
  signature: "Signature: which secret signs, and the content of the header",
  body: "Body and headers",
  wire: "Wire: what happens to the connection",
  api: "The interface itself",
  clock: "What becomes due",
};

const INTRODUCTION = `# Faults

A fault makes something fail on purpose, the same way every time: in a scenario, over \`POST /sandbox/faults\`, or with \`sandbox.fault(…)\`. \`GET /sandbox/faults\` lists the armed faults with their hits, and every effect; \`DELETE /sandbox/faults\` removes all faults, \`DELETE /sandbox/faults/{id}\` one.

\`\`\`yaml
- fault: { on: webhook, event: SUBSCRIPTION.*, effect: duplicate, times: 1 }
\`\`\`

## Selectors

All selectors are optional. A fault takes effect where all of its selectors match; without any, every time. On the clock only \`object\`, \`nth\`, \`between\`, \`probability\` and \`times\` select, and \`last-day\` takes none.

- \`event\`: a glob over the event's name, in which \`*\` matches any text
- \`object\`: only what names this object: its id
- \`objectNumber\`: only the n-th object: of its collection, in the order in which events announced them; on calls, of those that calls of the operation were about since the fault was armed (what the path names, and the \`externalId\`)
- \`operation\`: only this operation, or on webhooks the events that its calls announce
- \`nth\`: only the n-th match since the fault was armed
- \`attempt\`: only these attempts of a delivery: a number or a list
- \`between\`: from the first time up to the second, which is not included
- \`probability\`: only with this chance, drawn from the seed
- \`times\`: only until the fault has had this many hits

Effects of the schedule apply to an event once, before its first attempt, except \`drop\` and \`outage\`; so does \`rotate-mid-retry\`. All others apply to each attempt: \`nth\` and \`times\` then count attempts. Of two faults that would change the same thing, the one that was armed first takes effect.

An attempt that a fault changed carries its name in \`injected\`; nothing in the request does, so that no receiver can learn to recognize it. A dropped attempt is one of the five. Removing a fault also sends what \`late\` and \`together\` still hold back, and then the copies of \`duplicate-at-end\`. A copy is a separate delivery (\`duplicateOf\`), made once, with the trigger \`injected\`; it does not count as an attempt of the original and is never listed as undelivered.
`;

const SABOTAGE = `## Sabotage

A platform does none of this, and tests that pass all the same check nothing of it. Each sabotage is one fault without a limit, armed when a world starts and after each reset; \`SANDBANK_MUTANT=sabotage:ID\` names it for every world whose settings do not.

- \`event.EVENT.never\`: \`{ on: webhook, event: EVENT, effect: lose }\`
- \`event.EVENT.other-amount\`: \`{ on: webhook, event: EVENT, effect: other-amount }\`
- \`event.EVENT.failure\`: \`{ on: webhook, event: EVENT, effect: failure }\`
- \`operation.ID.fails\`: \`{ on: api, operation: ID, effect: error, status: 500 }\`
- \`operation.ID.other-amount\`: \`{ on: api, operation: ID, effect: answer-other-amount }\`
- \`signatures.wrong\`: \`{ on: webhook, effect: wrong-secret }\`
- \`settlement.never\`: \`{ on: clock, effect: never-settles }\`
- \`clock.next-day-never\`: \`{ on: clock, effect: last-day }\`
`;

/** `docs/faults.md`: every effect, what it does on the wire, and which mistake it reveals. */
export function faultsPage(): string {
  const families = Object.entries(effectFamilies) as [EffectFamily, Readonly<Record<string, Effect>>][];
  const sections = families.map(([family, effects]) => {
    const entries = Object.entries(effects).map(([name, effect]) => entry(name, effect));
    return `## ${TITLES[family]}\n\n${entries.join("\n")}`;
  });
  return [INTRODUCTION, ...sections, SABOTAGE].join("\n");
}

const SEEN = { webhook: "on the wire", api: "what the caller sees", clock: "what happens" } as const;

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
