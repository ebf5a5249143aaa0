import type { Lifecycle, Transition } from "../engine/lifecycle.ts";
import { lifecycles } from "./lifecycles.ts";

const INTRODUCTION = `# Lifecycles

What each resource may go through. The tables in \`src/platform/*/lifecycle.ts\` are what the engine obeys, and this page is drawn from them: a change of state that is not here does not happen, and an act that is not possible in a state is refused with those that are.

An act is \`POST /sandbox/acts/{act}\`, a button of the dashboard, or a step of a scenario. Where no act is named, the platform itself takes the step, or a call of the interface asks for it.
`;

/** `docs/lifecycles.md`: every lifecycle table as a diagram and a list of its rows. */
export function lifecyclePage(): string {
  return [INTRODUCTION, ...lifecycles.map(section)].join("\n");
}

function section(lifecycle: Lifecycle): string {
  const title = lifecycle.resource.replaceAll("-", " ");
  return `## ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${diagram(lifecycle)}\n\n${table(lifecycle)}\n`;
}

/** One arrow for each pair of states, however many actions lead along it; a state without a way out is an end. */
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

function table({ resource, transitions }: Lifecycle): string {
  return [
    "| action | from | to | webhook | act |",
    "| --- | --- | --- | --- | --- |",
    ...transitions.map((row) => tableRow(resource, row)),
  ].join("\n");
}

function tableRow(resource: string, { action, from, to, emits, act }: Transition): string {
  const named = act === undefined ? `${resource}.${action}` : act;
  const cells = [action, from.join(", "), to, code(emits), code(named)];
  return `| ${cells.join(" | ")} |`;
}

function code(text: string | null | undefined): string {
  return text ? `\`${text}\`` : "";
}
