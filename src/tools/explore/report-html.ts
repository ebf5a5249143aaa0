import type { ExploreResult } from "./exploration.ts";
import { Badge, Name } from "../../html/components.js";
import { DivergenceReport, ResultSummary } from "./report-view.js";
import { html } from "../../html/preact.js";
import { htmlReport } from "../reports/html-report.ts";

/** The report of explorations as one page without outside references. */
export function explorePage(results: readonly ExploreResult[]): string {
  const content = html`<h1>Every way the webhooks could have come</h1>
    ${results.map((result, position) => {
      const idOf = (divergence: number): string => `divergence-${position}-${divergence}`;
      return html`<section>
        <h2>${result.scenario} <${Badge} status=${result.verdict} /></h2>
        <p class="soft">${result.file}</p>
        <${ResultSummary} result=${result} addressOf=${(index: number) => `#${idOf(index)}`} />
        ${result.divergences.map(
          (divergence, index) =>
            html`<article class="card" id=${idOf(index)}>
              <h2><${Name} name=${divergence.title} /></h2>
              <${DivergenceReport} divergence=${divergence} result=${result} />
            </article>`,
        )}
      </section>`;
    })}`;
  return htmlReport({ title: "sandbank explore", content });
}
