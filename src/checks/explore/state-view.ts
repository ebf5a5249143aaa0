import type { ComponentChildren as Content } from "preact";
import type { Divergence, ExploreResult } from "./exploration.ts";
import { Empty, Table } from "../../pages/html/components.js";
import { html } from "../../pages/html/preact.js";
import { valueText } from "./deviation-words.ts";

/** Draws the differences of a divergence, and both states side by side. */
export function States({
  divergence: { differences, state },
  result,
}: {
  readonly divergence: Divergence;
  readonly result: ExploreResult;
}): Content {
  const rows = differences.map(({ path, baseline, found }) =>
    [path, valueText(baseline), valueText(found)].map((text) => html`<code class="wrap">${text}</code>`),
  );
  const table =
    rows.length > 0
      ? html`<${Table} columns=${["where", "baseline", "here"]} rows=${rows} />`
      : html`<${Empty}>The states are equal: an event stayed undelivered, or the receiver ended.<//>`;
  if (state === undefined || result.state === undefined) return table;
  const [before = [], after = []] = compareLines(result.state, state);
  const sides = [
    { title: "Baseline", lines: before },
    { title: "Here", lines: after },
  ];
  return html`${table}
    <details>
      <summary>The two states</summary>
      <div class="columns sides">
        ${sides.map(
          ({ title, lines }) =>
            html`<div>
              <h4>${title}</h4>
              <pre class="wrapped" tabindex="0" aria-label=${title}>
${lines.map(({ text, isMarked }) => (isMarked ? html`<mark>${`${text}\n`}</mark>` : `${text}\n`))}</pre>
            </div>`,
        )}
      </div>
    </details>`;
}

interface ComparedLine {
  readonly text: string;
  /** True if the other value lacks this line, or has it less often. */
  readonly isMarked: boolean;
}

/** Compares two JSON values line by line. */
export function compareLines(before: unknown, after: unknown): ComparedLine[][] {
  const sides = [before, after].map((value) => (JSON.stringify(value, null, 2) ?? "").split("\n"));
  return sides.map((lines, side) => {
    const others = Map.groupBy(sides[1 - side] ?? [], (line) => line.replace(/,$/, ""));
    return lines.map((text) => ({ text, isMarked: others.get(text.replace(/,$/, ""))?.pop() === undefined }));
  });
}
