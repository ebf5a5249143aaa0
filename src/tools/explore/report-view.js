// @ts-check
// How a report of explorations is drawn, on the dashboard and in a file.
import { Command, Empty, Name, Scroll, Table } from "../../html/components.js";
import { html } from "../../html/preact.js";

/** @import { Arrival, Deviation, Divergence, ExploreResult } from "./report-data.ts" */

/** What can be different about an event, a call or a request, and what it means. @type {Readonly<Record<string, string>>} */
export const KINDS = {
  late: "held until after the next event",
  twice: "again right after it was acknowledged",
  "twice-late": "again after everything else",
  "twice-at-once": "both copies at the same moment",
  "answer-lost": "its answer was lost, and it came again",
  "first-try-lost": "the first attempt was lost, the retry came later",
  early: "before the answer of the call that announced it",
  together: "at the same moment as the next event about the object, or of the same instant",
  "call-refused": "answered with 503, and nothing was done",
  "call-lost": "the connection was reset before anything was done",
  "call-answer-lost": "carried out, and the answer was lost",
  "call-fails-after": "carried out, and answered with 500",
  "call-slow": "carried out, and answered late",
  "call-limited": "answered with 429, and nothing was done",
  "token-expired": "answered with 401, and the token is dead",
  "request-twice": "sent twice at the same moment",
  "killed-before-answer": "the process was killed while it handled the event",
  "killed-after-answer": "the process was killed right after it had answered",
  "killed-in-call": "carried out, and the process was killed before it had the answer",
  "killed-after-call": "the process was killed right after it had the answer",
};

/** Whether two deviations happen to the same thing. @param {Deviation} one @param {Deviation} other */
function isSameSubject(one, other) {
  return one.event === other.event && one.call === other.call && one.step === other.step;
}

/** `late on event 2`, `call-lost on call 3`. @param {Deviation} deviation */
export function deviationText({ event, call, step, kind, with: other }) {
  const [of, index] =
    event !== undefined ? ["event", event] : call !== undefined ? ["call", call] : ["step", step];
  return `${kind} on ${of} ${index}${other === undefined ? "" : ` with ${other}`}`;
}

/**
 * What deviations happen to: the events, the calls, and the requests that are sent twice.
 *
 * @param {ExploreResult} result
 * @returns {{ of: Omit<Deviation, "kind">, label: string | number, name: string, object: string }[]}
 */
function subjectsOf({ events, calls, cells }) {
  const steps = [...new Set(cells.flatMap(({ step }) => (step === undefined ? [] : [step])))];
  return [
    ...events.map(({ index, event, object }) => ({
      of: { event: index },
      label: index,
      name: event,
      object,
    })),
    ...calls
      .filter(({ index }) => cells.some(({ call }) => call === index))
      .map(({ index, operation, object }) => ({
        of: { call: index },
        label: `call ${index}`,
        name: operation,
        object,
      })),
    ...steps.map((step) => ({ of: { step }, label: `step ${step}`, name: "request", object: "" })),
  ];
}

/**
 * What came of one deviation alone, and the divergences that it is a part of, the smallest first.
 *
 * @param {ExploreResult} result
 * @param {Deviation} deviation
 */
export function cellOf({ cells, divergences }, deviation) {
  const isIt = (/** @type {Deviation} */ one) => isSameSubject(one, deviation) && one.kind === deviation.kind;
  const isIn = (/** @type {readonly Deviation[]} */ schedule) => schedule.some(isIt);
  const found = divergences
    .flatMap((one, index) =>
      [one.deviations, ...one.alike].filter(isIn).map(({ length }) => ({ index, length })),
    )
    .sort((one, other) => one.length - other.length);
  const alone = found[0]?.length === 1;
  const listed = cells.find(isIt)?.result;
  return { result: alone ? "diverged" : (listed ?? "impossible"), index: found[0]?.index };
}

/** The kinds of deviation that the report is about. @param {ExploreResult} result */
export function kindsOf({ cells, divergences }) {
  const used = [...cells, ...divergences.flatMap(({ deviations }) => deviations)].map(({ kind }) => kind);
  return [...new Set([...Object.keys(KINDS).filter((kind) => used.includes(kind)), ...used])];
}

/** How many of how many were tried, and what came of them. @param {ExploreResult} result */
export function triedSentence({ schedules, depth, divergences, verdict, unfinished, rest }) {
  const { tried, total, skipped, notReached = 0 } = schedules;
  const counted = (/** @type {number} */ count, /** @type {string} */ noun) =>
    `${count} ${noun}${count === 1 ? "" : "s"}`;
  const open = divergences.filter(({ accepted }) => accepted !== true).length;
  const outcome =
    open === 0
      ? "The state in the end was the same after each."
      : `${counted(open, "way")} to another state.`;
  const far = unfinished === undefined ? "" : ` ${verdict === "undecided" ? "Undecided: " : ""}${unfinished}`;
  const missed =
    notReached === 0
      ? ""
      : ` ${notReached} not reached: their event or call did not occur in the run, so they were not tried.`;
  const known = divergences.length - open;
  const accepted = known === 0 ? "" : ` ${known} accepted by --baseline.`;
  const method = rest === undefined ? "" : ` Rest was known by ${rest}.`;
  const left = skipped === 0 ? "" : ` ${skipped} skipped: they contain a schedule that failed.`;
  return `${tried} of ${total} schedules tried, up to ${counted(depth, "deviation")} each.${left}${missed} ${outcome}${accepted}${far}${method}`;
}

/** A longer value is cut. */
const VALUE_MAX = 160;

/** A value on one line. @param {unknown} value */
export function valueText(value) {
  if (value === undefined) return "nothing there";
  const text = JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}

/**
 * The result of one scenario but for its divergences: what was tried, and what came of each deviation alone.
 *
 * @param {object} props
 * @param {ExploreResult} props.result
 * @param {(divergence: number) => string} props.addressOf where the divergence with that index is shown
 */
export function ResultSummary({ result, addressOf }) {
  const { verdict, reason, ignored, notes, lints = [] } = result;
  if (verdict === "not-tried") return html`<p class="bad">${reason}</p>`;
  return html`<p>${triedSentence(result)}</p>
    ${result.notTried.length > 0 && html`<p>Not tried: ${result.notTried.join("; ")}.</p>`}
    ${ignored.length > 0 && html`<p>Ignored: ${ignored.map((path) => html`<code class="wrap">${path}</code> `)}</p>`}
    ${notes.map((note) => html`<p>${note}</p>`)}
    ${lints.map(({ lint, message, fix }) => html`<p class="wrap"><code>${lint}</code> ${message} ${fix}</p>`)}
    <${Matrix} result=${result} addressOf=${addressOf} />`;
}

/** What is shown of a cell, and what it says. @type {Readonly<Record<string, readonly [string, string]>>} */
const CELLS = {
  ok: ["✓", "the same state in the end"],
  diverged: ["✗", "another state in the end"],
  skipped: ["=", "skipped: the same arrivals as another"],
  "not-tried": ["·", "not tried"],
  "not-reached": ["○", "not reached: it did not occur in its run"],
  undecided: ["?", "undecided: the state was still changing"],
  impossible: ["", "cannot happen to it"],
};

/** Events and calls against deviations. @param {{ result: ExploreResult, addressOf: (divergence: number) => string }} props */
function Matrix({ result, addressOf }) {
  const kinds = kindsOf(result);
  return html`<${Scroll} label="Events and calls against deviations">
    <table class="matrix">
      <caption>
        ${"Each event and each call with each deviation alone: ✓ the same state in the end, ✗ another one, = the same arrivals as another, · not tried, ○ not reached, ? undecided. Scroll sideways where it is wider than the page."}
      </caption>
      <thead>
        <tr>
          <th scope="col">event or call</th>
          ${kinds.map((kind) => html`<th scope="col" title=${KINDS[kind]}><span>${kind}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${subjectsOf(result).map(
          ({ of, label, name, object }) =>
            html`<tr>
              <th scope="row">${label} <${Name} name=${name} /> <span class="soft">${object}</span></th>
              ${kinds.map(
                (kind) =>
                  html`<${Cell} result=${result} addressOf=${addressOf} deviation=${{ ...of, kind }} />`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  <//>`;
}

/** @param {{ result: ExploreResult, addressOf: (divergence: number) => string, deviation: Deviation }} props */
function Cell({ result, addressOf, deviation }) {
  const { result: outcome, index } = cellOf(result, deviation);
  const [mark, words] = CELLS[outcome] ?? ["?", outcome];
  const about = `${deviationText(deviation)}: ${words}`;
  if (index === undefined) return html`<td class=${outcome} title=${about} aria-label=${about}>${mark}</td>`;
  const isPart = outcome !== "diverged";
  const label = isPart ? `${about}; with another deviation it diverges` : about;
  return html`<td class="diverged">
    <a href=${addressOf(index)} title=${label} aria-label=${label}>${isPart ? `${mark}⁺` : mark}</a>
  </td>`;
}

/**
 * A divergence but for its title.
 *
 * @param {object} props
 * @param {Divergence} props.divergence
 * @param {ExploreResult} props.result
 * @param {(props: { text: string }) => unknown} [props.Line] draws a command line
 */
export function DivergenceReport({ divergence, result, Line = Command }) {
  const { deviations, differences, words, cause, replay, state, alike, books = [] } = divergence;
  const rows = differences.map(({ path, baseline, found }) =>
    [path, valueText(baseline), valueText(found)].map((text) => html`<code class="wrap">${text}</code>`),
  );
  return html`<p class="soft">
      ${deviations.map((one) => `${deviationText(one)}: ${KINDS[one.kind] ?? "another deviation"}.`).join(" ")}
      ${alike.length > 0 && ` The same with ${alike.length} more.`}
    </p>
    ${words !== undefined && html`<p><b>${words}.</b></p>`}
    <p><b>Likely cause:</b> ${cause}</p>
    ${books.map(({ lines }) => html`<pre class="wrapped">${lines.join("\n")}</pre>`)}
    ${replay
      .split(/ \(saved by: |\)$/)
      .filter((text) => text !== "")
      .toReversed()
      .map((text) => html`<${Line} key=${text} text=${text} />`)}
    <h3>Arrivals</h3>
    <${Scroll} label="Arrivals"><${Sequence} divergence=${divergence} result=${result} /><//>
    <h3>The state in the end</h3>
    ${
      rows.length > 0
        ? html`<${Table} columns=${["where", "baseline", "here"]} rows=${rows} />`
        : html`<${Empty}>The states are equal: an event stayed undelivered, or the receiver ended.<//>`
    }
    ${
      state !== undefined &&
      result.state !== undefined &&
      html`<details open>
        <summary>The two states</summary>
        <${States} baseline=${result.state} found=${state} />
      </details>`
    }`;
}

/** The two states side by side; what the other one does not have is marked. @param {{ baseline: unknown, found: unknown }} props */
function States({ baseline, found }) {
  const [before = [], after = []] = compareLines(baseline, found);
  return html`<div class="columns sides">
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
 * The arrivals as a sequence diagram: from the platform to the receiver, and its answer back. Those that deviate are
 * marked.
 *
 * @param {{ divergence: Divergence, result: ExploreResult }} props
 */
function Sequence({ divergence: { arrivals, deviations }, result: { events } }) {
  const height = 34 + STEP * arrivals.length;
  const steps = arrivals.map((arrival, position) => {
    const { event, name, attempt, status, error, early, together } = arrival;
    const isAgain = arrivals.slice(0, position).some((other) => other.event === event && event !== null);
    const words = [
      event === null
        ? (name ?? "another event")
        : `${event} ${name ?? events.find(({ index }) => index === event)?.event ?? ""}`,
      attempt > 1 ? `time ${attempt}` : "",
      early === true ? "before the answer of the call" : "",
      together === true ? "at the same moment" : "",
    ];
    return {
      text: words.filter(Boolean).join(", "),
      answer: status === null && error === "reset" ? "answer lost" : String(status ?? error ?? "no answer"),
      isDeviating: deviations.some(
        (one) => one.event !== undefined && one.event === event && (!one.kind.startsWith("twice") || isAgain),
      ),
      status,
    };
  });
  const label = `Sequence: ${steps.map(({ text, answer }) => `${text}: ${answer}`).join("; ")}`;
  return html`<svg class="sequence" viewBox=${`0 0 640 ${height}`} role="img" aria-label=${label}>
    <text x="60" y="16">platform</text>
    <text x="580" y="16">receiver</text>
    <path class="soft" d=${`M60 24V${height}M580 24V${height}`} />
    ${steps.map(({ text, answer, status, isDeviating }, index) => {
      const y = 46 + index * STEP;
      const tone = status !== null && status < 300 ? "good" : "bad";
      return html`<g key=${index} class=${isDeviating ? "deviating" : undefined}>
        <text x="320" y=${y - 5}>${isDeviating && "▸ "}${text}</text>
        <path d=${`M60 ${y}H580m-7 -4l7 4l-7 4`} />
        <path class=${`answer ${tone}`} d=${`M580 ${y + 16}H${status === null ? 330 : 60}`} />
        <text x="320" y=${y + 12} class=${tone}>${answer}</text>
      </g>`;
    })}
  </svg>`;
}

/**
 * Two JSON values line by line; a line is marked where the other value does not have it, or not as often.
 *
 * @param {unknown} before
 * @param {unknown} after
 */
export function compareLines(before, after) {
  const sides = [before, after].map((value) => (JSON.stringify(value, null, 2) ?? "").split("\n"));
  return sides.map((lines, side) => {
    const others = Map.groupBy(sides[1 - side] ?? [], (line) => line.replace(/,$/, ""));
    return lines.map((text) => ({ text, isMarked: others.get(text.replace(/,$/, ""))?.pop() === undefined }));
  });
}
