// @ts-check
import { api, app, go } from "./app.js";
import { cellOf, compareLines, KINDS, kindsOf, resultsOf } from "./explore-report.js";
import { Badge, Command, Empty, Heading, ListView, Name, Row, Table } from "./components.js";
import { formatAddress } from "./address.js";
import { counted } from "./text.js";
import { html } from "./preact.js";
import { notThisReport, ReportFile } from "./report-file.js";

/** @import { Arrival, Deviation, Divergence, ExploreResult } from "./page-data.ts" */

/** The report that was dropped on this tab. @type {readonly ExploreResult[]} */
let dropped = [];

/** The report of that name, where it is not one that the server keeps. */
const DROPPED = "file";

/** Reports of the server that were read, by their ids: they never change. @type {Map<string, readonly ExploreResult[]>} */
const read = new Map();

/** @typedef {{ id: string, results: readonly { scenario: string, verdict: string }[] }} Kept a report that the server keeps */

/** Every way the webhooks could have come, and what came of it. @type {import("./page-data.ts").View} */
export const exploreView = {
  title: "Explore",
  isPolled: true,
  load: async () => {
    /** @type {readonly Kept[]} */
    const kept = (await api.get("/explorations")).data;
    const newest = dropped.length > 0 ? DROPPED : kept.at(-1)?.id;
    const report = app.address.query["report"] ?? newest;
    return { kept, report, results: report === undefined ? [] : await reportOf(report) };
  },
  List,
  loadOne: async (id) => {
    const [report = "", result = "", divergence = ""] = id.split(".");
    const one = (await reportOf(report))[Number(result)];
    const found = one?.divergences[Number(divergence)];
    if (one === undefined || found === undefined)
      throw new Error("This tab has no report with that divergence. Drop the report here.");
    return { result: one, divergence: found };
  },
  One,
};

/** @param {string} report */
async function reportOf(report) {
  if (report === DROPPED) return dropped;
  const known = read.get(report);
  if (known !== undefined) return known;
  const { results } = await api.get(`/explorations/${encodeURIComponent(report)}`);
  read.set(report, results);
  return results;
}

/** The address of a divergence. @param {string} place the report and the result in it @param {number} index */
function addressOf(place, index) {
  const [report = ""] = place.split(".");
  return formatAddress({ view: "explore", id: `${place}.${index}`, query: { report } });
}

const COMMAND = "sandbank explore FILE --reporter json --out report.json";

/** The command that leaves its report on this server. */
const SHOWN = `sandbank explore FILE --receiver URL --probe URL --dashboard ${location.origin}`;

/** @param {{ data: { kept: readonly Kept[], report: string | undefined, results: readonly ExploreResult[] } }} props */
function List({ data: { kept, report: shown, results } }) {
  const open = (/** @type {any} */ report, /** @type {string} */ name) => {
    const found = resultsOf(report);
    if (found === undefined) throw notThisReport(name, COMMAND);
    dropped = found;
    go({ view: "explore", query: { report: DROPPED } });
  };
  return html`<${ListView}
    title="Explore"
    intro="Does the state of the partner's system depend on how the webhooks came: twice, late, in another order?"
    above=${
      kept.length > 0 &&
      html`<h3>Reports <span class="soft">the newest first</span></h3>
        ${kept.map((one) => html`<${KeptRow} key=${one.id} kept=${one} isShown=${one.id === shown} />`).reverse()}`
    }
    rows=${[
      ...results.map(
        (one, index) => html`<${ResultSection} key=${index} result=${one} place=${`${shown}.${index}`} />`,
      ),
      html`<h3>${results.length === 0 ? "Show a report" : "Show another report"}</h3>
        <p>With this command it appears here by itself:</p>
        <${Command} text=${SHOWN} />
        <${ReportFile} command=${COMMAND} opened=${open} />`,
    ]}
  />`;
}

/** A report that the server keeps. @param {{ kept: Kept, isShown: boolean }} props */
function KeptRow({ kept: { id, results }, isShown }) {
  const verdicts = new Set(results.map(({ verdict }) => verdict));
  const worst = ["not-tried", "diverges"].find((one) => verdicts.has(one)) ?? "converges";
  return html`<${Row}
    href=${formatAddress({ view: "explore", query: { report: id } })}
    isCurrent=${isShown}
    title=${`${id} ${results[0]?.scenario ?? ""}`}
    badge=${html`<${Badge} status=${worst} />`}
    left=${results.length > 1 && `and ${results.length - 1} more`}
  />`;
}

/** @param {{ result: ExploreResult, place: string }} props */
function ResultSection({ result, place }) {
  const { scenario, schedules, depth, verdict, reason, ignored, divergences } = result;
  return html`<section>
    <h3>${scenario}<${Badge} status=${verdict} /></h3>
    ${reason && html`<p class="bad">${reason}</p>`}
    ${
      verdict === "not-tried"
        ? html`<${Empty}>Nothing was tried.<//>`
        : html`<p class="soft small">
              ${`${schedules.tried} of ${schedules.total} schedules tried, ${schedules.skipped} skipped, up to ${counted(depth, "deviation")} at a time.`}
              ${ignored.length > 0 && ` Not compared: ${ignored.join(", ")}.`}
            </p>
            <${Matrix} result=${result} place=${place} />`
    }
    ${divergences.map(
      (divergence, index) =>
        html`<${Row}
          key=${index}
          href=${addressOf(place, index)}
          isCurrent=${app.address.id === `${place}.${index}`}
          title=${titleOf(divergence, result)}
          left=${divergence.cause}
        />`,
    )}
    ${
      divergences.length === 0 &&
      verdict !== "not-tried" &&
      html`<${Empty}>No schedule left the system in another state.<//>`
    }
  </section>`;
}

/** What is shown of a cell, and what it says. @type {Readonly<Record<string, readonly [string, string]>>} */
const CELLS = {
  ok: ["✓", "the same state in the end"],
  diverged: ["✗", "another state in the end"],
  skipped: ["–", "skipped: a smaller schedule that is part of it diverges"],
  "not-tried": ["·", "not tried"],
  impossible: ["", "cannot happen to this event"],
  unknown: ["·", "the report does not say"],
};

/** Events against what was different about them. @param {{ result: ExploreResult, place: string }} props */
function Matrix({ result, place }) {
  const kinds = kindsOf(result);
  return html`<div class="scroll" tabindex="0">
    <table class="matrix">
      <thead>
        <tr>
          <th scope="col">event</th>
          ${kinds.map((kind) => html`<th scope="col" title=${KINDS[kind]}><span>${kind}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${result.events.map(
          ({ index, event, object }) =>
            html`<tr>
              <th scope="row" title=${object}>${index} <${Name} name=${event} /></th>
              ${kinds.map(
                (kind) =>
                  html`<${Cell} result=${result} place=${place} deviation=${{ event: index, kind }} />`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @param {{ result: ExploreResult, place: string, deviation: Deviation }} props */
function Cell({ result, place, deviation }) {
  const { result: outcome, index } = cellOf(result, deviation);
  const [mark, words] = CELLS[outcome] ?? ["?", outcome];
  const about = `${deviation.kind} on event ${deviation.event}: ${words}`;
  if (index === undefined) return html`<td class=${outcome} title=${about} aria-label=${about}>${mark}</td>`;
  const isPart = outcome !== "diverged";
  const href = addressOf(place, index);
  const label = isPart ? `${about}; with another deviation it diverges` : about;
  return html`<td class="diverged">
    <a href=${href} title=${label} aria-label=${label}>${isPart ? `${mark}⁺` : mark}</a>
  </td>`;
}

/** @param {Divergence} divergence @param {ExploreResult} result */
function titleOf({ title, deviations }, { events }) {
  if (title !== undefined) return title;
  return deviations
    .map(({ event, kind }) => `${events[event - 1]?.event ?? `event ${event}`}: ${kind}`)
    .join("; ");
}

/** @param {{ data: { result: ExploreResult, divergence: Divergence } }} props */
function One({ data: { result, divergence } }) {
  const { deviations, differences, arrivals, cause, replay, state } = divergence;
  const rows = differences.map(({ path, baseline, found }) => [
    html`<code class="wrap">${path}</code>`,
    html`<code class="wrap">${valueText(baseline)}</code>`,
    html`<code class="wrap">${valueText(found)}</code>`,
  ]);
  return html`<section>
      <${Heading} title=${titleOf(divergence, result)} />
      <p class="soft">
        ${deviations.map(({ event, kind }) => `${kind} on event ${event}: ${KINDS[kind] ?? "another deviation"}.`).join(" ")}
      </p>
      <p><b>Likely cause:</b>${` ${cause}`}</p>
      ${replay
        .split(/ \(saved by: |\)$/)
        .filter((text) => text !== "")
        .toReversed()
        .map((text) => html`<${Command} key=${text} text=${text} />`)}
    </section>
    <section>
      <h3>Arrivals</h3>
      <div class="scroll" tabindex="0"><${Sequence} arrivals=${arrivals} result=${result} /></div>
    </section>
    <section>
      <h3>The state in the end</h3>
      ${
        rows.length > 0
          ? html`<${Table} columns=${["where", "baseline", "here"]} rows=${rows} />`
          : html`<${Empty}>The states are equal: an event stayed undelivered, or the receiver ended.<//>`
      }
      ${state !== undefined && result.state !== undefined && html`<${States} baseline=${result.state} found=${state} />`}
    </section>`;
}

/** The two states side by side; what the other one does not have is marked. @param {{ baseline: unknown, found: unknown }} props */
function States({ baseline, found }) {
  const [before, after] = compareLines(baseline, found);
  return html`<div class="sides">
    ${[
      { title: "Baseline", lines: before },
      { title: "Here", lines: after },
    ].map(
      ({ title, lines }) =>
        html`<div>
          <h4>${title}</h4>
          <pre class="wrapped" tabindex="0" aria-label=${title}>
${lines.map(({ text, isMarked }) => (isMarked ? html`<mark>${`${text}\n`}</mark>` : `${text}\n`))}</pre>
        </div>`,
    )}
  </div>`;
}

/** The height of an arrival in the diagram. */
const STEP = 46;

/**
 * The arrivals as a sequence diagram: from the platform to the receiver, and its answer back.
 *
 * @param {{ arrivals: readonly Arrival[], result: ExploreResult }} props
 */
function Sequence({ arrivals, result: { events } }) {
  const height = 34 + STEP * arrivals.length;
  const nameOf = (/** @type {Arrival} */ { event, name }) =>
    event === null ? (name ?? "another event") : `${event} ${events[event - 1]?.event ?? ""}`;
  const steps = arrivals.map((arrival) => {
    const time = arrival.attempt > 1 ? `, time ${arrival.attempt}` : "";
    const moment = `${arrival.early ? ", before the answer of the call" : ""}${arrival.together ? ", at the same moment" : ""}`;
    return {
      text: `${nameOf(arrival)}${time}${moment}`,
      answer: String(arrival.status ?? arrival.error ?? "no answer"),
      arrival,
    };
  });
  const label = `Sequence: ${steps.map(({ text, answer }) => `${text}: ${answer}`).join("; ")}`;
  return html`<svg class="sequence" viewBox=${`0 0 640 ${height}`} role="img" aria-label=${label}>
    <text x="60" y="16" class="end">platform</text>
    <text x="580" y="16" class="end">receiver</text>
    <path class="life" d=${`M60 24V${height}M580 24V${height}`} />
    ${steps.map(({ text, answer, arrival }, index) => {
      const y = 46 + index * STEP;
      const tone = arrival.status !== null && arrival.status < 300 ? "good" : "bad";
      return html`<g key=${index}>
        <text x="320" y=${y - 5}>${text}</text>
        <path class="sent" d=${`M60 ${y}H580m-7 -4l7 4l-7 4`} />
        <path class=${`answer ${tone}`} d=${`M580 ${y + 16}H${arrival.status === null ? 330 : 60}`} />
        <text x="320" y=${y + 12} class=${`status ${tone}`}>${answer}</text>
      </g>`;
    })}
  </svg>`;
}

/** @param {unknown} value */
function valueText(value) {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
