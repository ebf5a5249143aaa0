import type { Effect, EffectField } from "./effect.ts";
import type { EffectFamily } from "./effects.ts";
import { effectFamilies } from "./effects.ts";

const TITLES: Readonly<Record<EffectFamily, string>> = {
  schedule: "Schedule: what is sent, and when",
  signature: "Signature: which key signs, and what stands in the header",
  body: "Body and headers",
  wire: "Wire: what happens to the connection",
  api: "The interface itself",
};

const INTRODUCTION = `# Faults

A fault makes something go wrong on purpose, the same way every time: in a scenario, over \`POST /sandbox/faults\`, or with \`sandbox.fault(…)\`. \`GET /sandbox/faults\` lists those that are armed, with their hits, and every effect; \`DELETE /sandbox/faults\` takes all of them back, \`DELETE /sandbox/faults/{id}\` one.

\`\`\`yaml
- fault: { on: webhook, event: SUBSCRIPTION.*, effect: duplicate, times: 1 }
\`\`\`

## What a fault lays hold of

All selectors are optional and hold together; without any, a fault takes effect every time.

- \`event\`: a glob over the event's name, in which \`*\` stands for anything
- \`object\`: only what names this object: its id
- \`operation\`: only this operation, or on webhooks the events that its calls announce
- \`nth\`: only the n-th match since the fault was armed
- \`attempt\`: only these attempts of a delivery: a number or a list
- \`between\`: from the first time up to, and without, the second
- \`probability\`: only with this chance, drawn from the seed
- \`times\`: no more after so many hits

Effects of the schedule lay hold of an event once, before its first attempt, but for \`drop\` and \`outage\`; so does \`rotate-mid-retry\`. All the others lay hold of each attempt: \`nth\` and \`times\` then count attempts. Of two faults that would change the same thing, the one that was armed first takes effect.

An attempt that a fault touched carries its name in \`injected\`; nothing in the request does, so that no receiver can learn to spot it. A dropped attempt is one of the five. A copy is a delivery of its own (\`duplicateOf\`), made once, with the trigger \`injected\`; it counts for nothing in the original's attempts and is never listed as undelivered.
`;

/** `docs/faults.md`: every effect, what it does on the wire, and which mistake it brings to light. */
export function faultsPage(): string {
  const families = Object.entries(effectFamilies) as [EffectFamily, Readonly<Record<string, Effect>>][];
  const sections = families.map(([family, effects]) => {
    const entries = Object.entries(effects).map(([name, effect]) => entry(name, effect));
    return `## ${TITLES[family]}\n\n${entries.join("\n")}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

function entry(name: string, { on, fields, needsBetween, onTheWire, uncovers }: Effect): string {
  const needs = needsBetween === true ? ["- needs `between`"] : [];
  const lines = [
    `- on: ${on}`,
    ...needs,
    ...Object.entries(fields).map(([field, written]) => fieldLine(field, written)),
    `- ${on === "api" ? "what the caller sees" : "on the wire"}: ${onTheWire}`,
    `- uncovers: ${uncovers}`,
  ];
  return `### \`${name}\`\n\n${lines.join("\n")}\n`;
}

function fieldLine(name: string, { required = false, default: preset, description }: EffectField): string {
  const unless = required ? "required" : preset === null ? "optional" : `\`${preset}\` unless given`;
  return `- \`${name}\` (${unless}): ${description}`;
}
