import type { CellResult, Divergence, ExploreResult } from "./exploration.ts";
import { deviationKinds } from "./deviations.ts";
import { html, raw } from "hono/html";
import { triedSentence, valueText } from "./report.ts";

/** The report of explorations as one page without outside references. */
export function htmlReport(results: readonly ExploreResult[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="content-security-policy"
          content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>sandbank explore</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>Every way the webhooks could have come</h1>
          ${results.map(resultSection)}
        </main>
      </body>
    </html> `;
  return (page as string).trimStart();
}

const VERDICTS = { converges: "converges", diverges: "diverges", "not-tried": "not tried" } as const;

function resultSection(result: ExploreResult, position: number) {
  const { scenario, file, verdict, reason, ignored, notes, divergences } = result;
  return html`<section aria-labelledby="scenario-${position}">
    <h2 id="scenario-${position}">
      ${scenario} <span class="verdict ${verdict}">${VERDICTS[verdict]}</span>
    </h2>
    <p class="file">${file}</p>
    ${
      verdict === "not-tried"
        ? html`<p>${reason ?? ""}</p>`
        : html` <p>${triedSentence(result)}</p>
            ${ignored.length === 0 ? "" : html`<p>Ignored: ${ignored.map((path) => html`<code>${path}</code> `)}</p>`}
            ${notes.map((note) => html`<p>${note}</p>`)} ${cellTable(result, position)}
            ${divergences.map((divergence, index) => divergenceArticle(divergence, result, `${position}-${index}`))}`
    }
  </section> `;
}

/** A name of several words, which may wrap at its joints. */
function wrapping(name: string) {
  return html`${name.split(/(?<=[._])/).map((part) => html`${part}<wbr />`)}`;
}

const CELLS: Readonly<Record<CellResult, readonly [sign: string, text: string]>> = {
  ok: ["✓", "ok"],
  diverged: ["✗", "diverged"],
  skipped: ["=", "skipped: the same arrivals as another"],
  "not-tried": ["·", "not tried"],
};

function cellTable({ events, cells, divergences }: ExploreResult, position: number) {
  const kinds = deviationKinds.filter((kind) => cells.some((cell) => cell.kind === kind));
  const anchorOf = (event: number, kind: string): string | undefined => {
    const index = divergences.findIndex(({ deviations, alike }) =>
      [deviations, ...alike].some(
        ([one, ...rest]) => rest.length === 0 && one?.event === event && one.kind === kind,
      ),
    );
    return index < 0 ? undefined : `#divergence-${position}-${index}`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Events against deviations">
    <table>
      <caption>
        Each event with each deviation alone
      </caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Object</th>
          ${kinds.map((kind) => html`<th scope="col">${kind}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${events.map(
          ({ index, event, object }) =>
            html`<tr>
              <th scope="row">${index} ${wrapping(event)}</th>
              <td>${object}</td>
              ${kinds.map((kind) => {
                const cell = cells.find((one) => one.event === index && one.kind === kind);
                if (cell === undefined)
                  return html`<td class="none"><span aria-label="not possible">–</span></td>`;
                const [sign, text] = CELLS[cell.result];
                const anchor = anchorOf(index, kind);
                const label = html`<span aria-hidden="true">${sign}</span> ${text.split(":")[0] ?? ""}`;
                return html`<td class="${cell.result}" title="${text}">
                  ${anchor === undefined ? label : html`<a href="${anchor}">${label}</a>`}
                </td>`;
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

function divergenceArticle(divergence: Divergence, result: ExploreResult, id: string) {
  const { title, deviations, differences, cause, replay, alike, state } = divergence;
  return html`<article id="divergence-${id}">
    <h3>${wrapping(title)}</h3>
    <p class="kinds">
      ${deviations.map(({ kind, event }) => html`<code>${kind} on event ${event}</code> `)}${alike.length === 0 ? "" : html`and the same with ${alike.length} more`}
    </p>
    <p><strong>Likely cause:</strong> ${cause}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Differences of ${title}">
      <table>
        <caption>
          Where the states differ
        </caption>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Baseline</th>
            <th scope="col">Here</th>
          </tr>
        </thead>
        <tbody>
          ${differences.map(
            ({ path, baseline, found }) =>
              html`<tr>
                <th scope="row" data-title="Path"><code>${path}</code></th>
                <td data-title="Baseline"><code>${valueText(baseline)}</code></td>
                <td data-title="Here"><code>${valueText(found)}</code></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <h4>Arrivals</h4>
    ${sequenceDiagram(divergence, result)}
    ${
      state === undefined
        ? ""
        : html`<details>
            <summary>The two states</summary>
            <div class="states">
              <div>
                <h5>Baseline</h5>
                <pre tabindex="0">${JSON.stringify(result.state, null, 2)}</pre>
              </div>
              <div>
                <h5>Here</h5>
                <pre tabindex="0">${JSON.stringify(state, null, 2)}</pre>
              </div>
            </div>
          </details>`
    }
    <p>Replay: <code>${replay}</code></p>
  </article> `;
}

const ROW = 34;
const LEFT = 90;
const RIGHT = 520;

/** The platform on the left, the receiver on the right: an arrow for each arrival and its answer. */
function sequenceDiagram({ arrivals, title }: Divergence, { events }: ExploreResult) {
  let y = 44;
  const seen = new Set<number | null>();
  const rows = arrivals.map(({ event, name, status, error, together, early }) => {
    const whole = name ?? events.find(({ index }) => index === event)?.event ?? "";
    const again = seen.has(event) && event !== null ? " again" : "";
    seen.add(event);
    if (together !== true) y += ROW;
    else y += 18;
    const isGood = status !== null && status >= 200 && status < 300;
    const answer =
      status === null ? (error === "reset" ? "answer lost" : (error ?? "no answer")) : String(status);
    const marks = `${together === true ? " (same moment)" : ""}${early === true ? " (before the answer)" : ""}`;
    return html`<g
      ><text x="${LEFT + 10}" y="${y - 5}">${event ?? "+"} ${whole}${again}${marks}</text
      ><line x1="${LEFT}" y1="${y}" x2="${RIGHT}" y2="${y}" marker-end="url(#head)" /><text
        class="${isGood ? "good" : "bad"}"
        x="${RIGHT + 10}"
        y="${y + 4}"
        >${answer}</text
      ></g
    >`;
  });
  const height = y + 24;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Arrivals of ${title}">
    <svg viewBox="0 0 640 ${height}" width="640" height="${height}" role="img" aria-label="Arrivals in order">
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      <text class="lane" x="${LEFT}" y="20">platform</text>
      <text class="lane" x="${RIGHT}" y="20">receiver</text>
      <line class="life" x1="${LEFT}" y1="28" x2="${LEFT}" y2="${height - 8}" />
      <line class="life" x1="${RIGHT}" y1="28" x2="${RIGHT}" y2="${height - 8}" />
      ${rows}
    </svg>
  </div> `;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #ffffff; --panel: #f6f8fa; --good: #116329; --bad: #a40e26; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b3; --line: #3d444d; --page: #0d1117; --panel: #151b23; --good: #56d364; --bad: #ff8e87; --link: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
main { max-width: 1280px; margin: 0 auto; padding: 24px 16px 64px; }
h1, h2, h3, p { overflow-wrap: anywhere; } h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2rem; } h3 { font-size: 1.05rem; margin: 0 0 4px; } h4, h5 { font-size: 0.95rem; margin: 12px 0 4px; }
a { color: var(--link); }
code, pre { font: 0.86em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { max-height: 420px; overflow: auto; padding: 10px; background: var(--page); border: 1px solid var(--line); border-radius: 6px; }
.file, .kinds { color: var(--soft); margin: 0 0 8px; }
.verdict { font-size: 0.85rem; font-weight: 600; padding: 2px 10px; border: 1px solid currentColor; border-radius: 999px; }
.converges, .ok, .good { color: var(--good); fill: var(--good); } .diverges, .diverged, .diverged a, .bad { color: var(--bad); fill: var(--bad); } .skipped, .not-tried, .none { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 12px 0; font-size: 0.9rem; } caption { text-align: left; color: var(--soft); padding-bottom: 4px; }
th, td { text-align: left; padding: 6px 10px; border: 1px solid var(--line); vertical-align: top; } th { font-weight: 600; } td.diverged { font-weight: 600; } tbody td { white-space: nowrap; } article tbody td { white-space: normal; }
article { margin: 16px 0; padding: 14px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.states { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 12px; }
svg { max-width: none; } svg text { font: 12px ui-monospace, monospace; fill: var(--text); } svg text.good { fill: var(--good); } svg text.bad { fill: var(--bad); } svg .lane { text-anchor: middle; font-weight: 600; } svg line { stroke: var(--text); stroke-width: 1.2; } svg line.life { stroke: var(--line); stroke-dasharray: 4 4; } svg path { fill: var(--text); }
@media (max-width: 640px) { th, td { padding: 4px 6px; } tbody th { min-width: 8.5rem; } article table, article tbody, article tr, article tbody th, article tbody td, article caption { display: block; border: 0; } article thead { display: none; } article tr { padding: 6px 0; border-bottom: 1px solid var(--line); } article [data-title]::before { content: attr(data-title) " "; font-weight: 400; color: var(--soft); } }
`;
