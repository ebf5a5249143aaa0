import { type Deviation, type DeviationKind, deviationKinds } from "./deviations.ts";
import type { ExploreResult } from "./exploration.ts";
import type { ComponentChildren as Content } from "preact";
import { deviationText, KINDS } from "./deviation-words.ts";
import { html } from "../../pages/html/preact.js";
import { Name, Scroll } from "../../pages/html/components.js";

/** The mark of a cell and its meaning. */
const CELLS: Readonly<Record<string, readonly [mark: string, words: string]>> = {
  ok: ["✓", "the same state in the end"],
  diverged: ["✗", "another state in the end"],
  skipped: ["=", "skipped: the same arrivals at the same instants as another schedule"],
  "not-tried": ["·", "not tried"],
  "not-reached": ["○", "not reached: it did not occur in its run"],
  undecided: ["?", "undecided: the notes say why"],
  impossible: ["", "cannot happen to it"],
};

/** Returns the meaning of a cell's result. */
export function cellWords(result: string): string {
  return CELLS[result]?.[1] ?? result;
}

interface Drawn {
  readonly result: ExploreResult;
  /** Returns the address of the divergence with that index. */
  readonly addressOf: (divergence: number) => string;
}

/** Draws events and calls against deviations. */
export function Matrix({ result, addressOf }: Drawn): Content {
  const kinds = kindsOf(result);
  return html`<${Scroll} label="Events and calls against deviations">
    <table class="matrix">
      <caption>
        ${"Each event and each call with each deviation alone: ✓ same state in the end, ✗ another state, = same arrivals at the same instants as another schedule, · not tried, ○ not reached, ? undecided. Scroll sideways if the table is wider than the page."}
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

function Cell({ result, addressOf, deviation }: Drawn & { readonly deviation: Deviation }): Content {
  const { result: outcome, index } = cellOf(result, deviation);
  const [mark = "?"] = CELLS[outcome] ?? [];
  const about = `${deviationText(deviation)}: ${cellWords(outcome)}`;
  if (index === undefined) return html`<td class=${outcome} title=${about} aria-label=${about}>${mark}</td>`;
  const isPart = outcome !== "diverged";
  const label = isPart ? `${about}; it diverges together with another deviation` : about;
  return html`<td class="diverged">
    <a href=${addressOf(index)} title=${label} aria-label=${label}>${isPart ? `${mark}⁺` : mark}</a>
  </td>`;
}

interface Subject {
  readonly of: Omit<Deviation, "kind">;
  readonly label: string | number;
  readonly name: string;
  readonly object: string;
}

/** Returns the subjects of deviations: the events, the calls, and the requests that are sent twice. */
function subjectsOf({ events, calls, cells }: ExploreResult): Subject[] {
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

/** Returns the result of one deviation alone, and the smallest divergence that contains it. */
export function cellOf({ cells, divergences }: ExploreResult, deviation: Deviation) {
  const isIt = (one: Deviation): boolean => isSameSubject(one, deviation) && one.kind === deviation.kind;
  const found = divergences
    .flatMap((one, index) =>
      [one.deviations, ...one.alike]
        .filter((schedule) => schedule.some(isIt))
        .map(({ length }) => ({ index, length })),
    )
    .sort((one, other) => one.length - other.length);
  const alone = found[0]?.length === 1;
  const listed = cells.find(isIt)?.result;
  return { result: alone ? "diverged" : (listed ?? "impossible"), index: found[0]?.index };
}

function isSameSubject(one: Deviation, other: Deviation): boolean {
  return one.event === other.event && one.call === other.call && one.step === other.step;
}

/** Returns the kinds of deviation of a report. */
function kindsOf({ cells, divergences }: ExploreResult): DeviationKind[] {
  const used = [...cells, ...divergences.flatMap(({ deviations }) => deviations)];
  return deviationKinds.filter((name) => used.some(({ kind }) => kind === name));
}
