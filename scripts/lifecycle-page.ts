import { type Lifecycle, type Transition, actOf, eventsOf } from "../src/simulator/engine/lifecycle.ts";
import { lifecycles } from "../src/simulator/platform/catalog.ts";

const INTRODUCTION = `# Lifecycles

This page lists the states of each resource and the transitions between them. One command performs an act on an object: \`curl http://127.0.0.1:4010/sandbox/acts/ACT -d '{"id": "ID"}'\`.

The page is generated from the tables in \`src/simulator/platform/\`. The engine changes a status only by a row of its table. The row sends its webhook, and its states arm and disarm their timers.

An act can also be a button of the dashboard or a step of a scenario. If a row has no act, the platform or a call of the interface makes the transition. If the state does not allow an act, the refusal names the possible acts.
`;

/** `docs/lifecycles.md`: every lifecycle table as a diagram and a list of its rows. */
export function lifecyclePage(): string {
  return [INTRODUCTION, ...lifecycles.map(section)].join("\n");
}

function section(lifecycle: Lifecycle): string {
  const title = lifecycle.resource.replaceAll("-", " ");
  return `## ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${diagram(lifecycle)}\n\n${table(lifecycle)}\n${timerList(lifecycle)}`;
}

/** One arrow for each pair of states, with all its actions; a state without transitions is an end. */
function diagram({ initial, states, transitions }: Lifecycle): string {
  const arrows = new Map<string, string[]>();
  for (const { from, action, to } of transitions) {
    for (const state of from) {
      const arrow = `${state} --> ${to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), action]);
    }
  }
  const ends = states.filter((state) => !transitions.some(({ from }) => from.includes(state)));
  const lines = [
    "stateDiagram-v2",
    `  [*] --> ${initial}`,
    ...Array.from(arrows, ([arrow, actions]) => `  ${arrow}: ${actions.join(", ")}`),
    ...ends.map((state) => `  ${state} --> [*]`),
  ];
  return `\`\`\`mermaid\n${lines.join("\n")}\n\`\`\``;
}

function table(lifecycle: Lifecycle): string {
  return [
    "| action | from | to | webhook | act |",
    "| --- | --- | --- | --- | --- |",
    ...lifecycle.transitions.map((row) => tableRow(lifecycle, row)),
  ].join("\n");
}

function tableRow(lifecycle: Lifecycle, row: Transition): string {
  const events = eventsOf(row).map(code).join(", ");
  return `| ${[row.action, row.from.join(", "), row.to, events, actCell(lifecycle, row)].join(" | ")} |`;
}

function actCell(lifecycle: Lifecycle, row: Transition): string {
  const act = code(actOf(lifecycle, row));
  return row.assumption === undefined ? act : `${act} with ${code(row.assumption)}`;
}

function timerList({ timers = {} }: Lifecycle): string {
  const lines = Object.entries(timers).map(([name, states]) => `- ${code(name)} in ${states.join(", ")}\n`);
  return lines.length === 0 ? "" : `\nTimers:\n\n${lines.join("")}`;
}

function code(text: string | null): string {
  return text === null ? "" : `\`${text}\``;
}
