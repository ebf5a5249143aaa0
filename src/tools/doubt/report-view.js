// @ts-check
// How a report of doubt is worded and drawn: on a terminal, in a file, and on the dashboard.
import { Badge, Command, Name, Table } from "../../html/components.js";
import { html } from "../../html/preact.js";

/** @import { Doubted, DoubtReport } from "./report-data.ts" */

/** What it means that no test notices a sabotage, by the end of its id. @type {Readonly<Record<string, (of: string) => string>>} */
const UNNOTICED = {
  never: (of) => `No test depends on it: nothing would tell you that ${of} does not come any more.`,
  "other-amount": (of) =>
    `No test compares the amount: nothing would tell you that ${of} is about other money.`,
  failure: (of) => `No test reads what it says: a failure in ${of} would count as a success.`,
  fails: (of) => `No test depends on its answer: nothing would tell you that ${of} fails.`,
};

/** @type {Readonly<Record<string, string>>} */
const OTHERS = {
  "signatures.wrong": "No test fails: anybody could send you webhooks.",
  "settlement.never": "No test depends on it: nothing would tell you that money does not arrive.",
  "clock.next-day-never": "No test depends on it: nothing that is due on another day is tested.",
};

/** What it means that no test noticed a sabotage. @param {string} id */
export function unnoticedText(id) {
  const words = id.split(".");
  return OTHERS[id] ?? UNNOTICED[words.at(-1) ?? ""]?.(words.slice(1, -1).join(".")) ?? "";
}

/** What is known about an assumption. @param {Doubted["confirmed"]} confirmed */
export function confirmationText(confirmed) {
  return confirmed === "confirmed" ? "traffic has confirmed what is assumed" : "no traffic has shown it";
}

/** A test that ends by its own limit of time says so in one of these ways. */
const OWN_LIMIT = /timed? ?out|exceeded timeout|took longer than|time limit/i;

/**
 * Names the time limit of a test as the reason, if slow answers broke it.
 *
 * @param {Pick<Doubted, "id" | "verdict" | "message" | "output">} doubted
 * @returns {string | undefined}
 */
export function ownLimitText({ id, verdict, message, output }) {
  if (id !== "freedoms.slow-answers" || verdict !== "broke") return undefined;
  const line = [message ?? "", ...output.split("\n")].find((one) => OWN_LIMIT.test(one));
  if (line === undefined) return undefined;
  return `A time limit of the test itself ended it (${line.trim()}): each answer takes two seconds. Raise the limit.`;
}

/** `1 test failed: "a resent charge is booked once" (test/charges.test.ts)` @param {Pick<Doubted, "verdict" | "failed" | "files">} doubted */
export function failedText({ verdict, failed, files }) {
  if (verdict === "timed-out") return "the tests took too long";
  if (failed.length === 0) return "the tests failed";
  const shown = failed.slice(0, 3).map((name) => `"${name}"`);
  const more = failed.length > shown.length ? ` and ${failed.length - shown.length} more` : "";
  const place = files.length === 0 ? "" : ` (${files.slice(0, 3).join(", ")})`;
  const count = failed.length === 1 ? "1 test failed" : `${failed.length} tests failed`;
  return `${count}: ${shown.join(", ")}${more}${place}`;
}

/**
 * Whether a mutant fails the report, known or not: what broke by time is a finding where it is a doubt.
 *
 * @param {Pick<Doubted, "verdict" | "family">} doubted
 */
export function isFinding({ verdict, family }) {
  return verdict === "broke" || verdict === "unnoticed" || (verdict === "timed-out" && family === "doubts");
}

/** How many mutants were reached, of how many. @param {DoubtReport} report */
export function reachedText({ mutants, notRun, counts }) {
  const all = mutants.length + notRun.length;
  return `${all - counts["not-reached"]} mutants reached of ${all} · ${counts["without-effect"]} without effect`;
}

/** What remains to be said about the whole report, in sentences. @param {DoubtReport} report */
export function remarksOn({ mutants, notRun, isComparable, stopped, verdict }) {
  const overruled = mutants.filter(({ verdict }) => verdict === "overruled").map(({ id }) => id);
  return [
    ...(overruled.length === 0
      ? []
      : [`Overruled by the tests, which set them: ${[...new Set(overruled)].join(", ")}.`]),
    ...(stopped === undefined ? [] : [`Stopped: ${stopped.split("\n")[0]}`]),
    ...(notRun.length === 0
      ? []
      : [
          `Not run, ${stopped === undefined ? "past --budget or --time" : "since then"}: ${notRun.length} mutants.`,
        ]),
    ...(verdict === "undecided" && stopped === undefined
      ? [
          mutants.every((one) => one.verdict === "not-reached")
            ? "Undecided: your tests reach no mutant. Let them call the sandbox."
            : "Undecided: no mutant was run.",
        ]
      : []),
    ...(isComparable
      ? []
      : [
          "Two runs without a mutant have different traffic, so mutants without effect cannot be recognised.",
        ]),
  ];
}

/** The table of what the platform could do against what became of the tests. @param {{ mutants: readonly Doubted[] }} props */
export function Verdicts({ mutants }) {
  return html`<${Table}
    columns=${["If the platform", "Verdict", "Assumption", "Tests"]}
    rows=${mutants.map((one) => [
      html`<${Name} name=${one.says} />`,
      html`<${Badge} status=${one.known === true ? "known" : one.verdict} />`,
      one.family === "doubts" ? confirmationText(one.confirmed) : "",
      one.verdict === "unnoticed"
        ? unnoticedText(one.id)
        : ["broke", "noticed", "timed-out"].includes(one.verdict)
          ? failedText(one)
          : "",
    ])}
  />`;
}

/** The whole report. @param {{ report: DoubtReport }} props */
export function DoubtSummary({ report }) {
  const { test, mutants } = report;
  const found = mutants.filter(isFinding);
  const others = mutants.filter((one) => !isFinding(one) && one.verdict !== "not-reached");
  const section = (/** @type {string} */ title, /** @type {Doubted["family"]} */ family) => {
    const own = found.filter((one) => one.family === family);
    return (
      own.length > 0 &&
      html`<section>
        <h3>${title} <span class="soft">${own.length}</span></h3>
        ${own.map(
          (one) =>
            html`<article class="card wrap">
              <p>
                <b><${Name} name=${one.says} /></b>
                <${Badge} status=${one.known === true ? "known" : one.verdict} />
              </p>
              <p>
                ${family === "doubts" ? `${failedText(one)}: ${confirmationText(one.confirmed)}.` : unnoticedText(one.id)}
              </p>
              ${one.message !== null && html`<p><code>${one.message}</code></p>`}
              ${ownLimitText(one) !== undefined && html`<p>${ownLimitText(one)}</p>`}
              <${Command} text=${one.replay} />
            </article>`,
        )}
      </section>`
    );
  };
  return html`<p class="soft">${`${test} · ${reachedText(report)}`}</p>
    ${section("Breaks you if it is not so", "doubts")} ${section("You would not notice", "sabotage")}
    ${found.length === 0 && report.verdict !== "undecided" && html`<p>Nothing broke, and nothing went unnoticed.</p>`}
    ${remarksOn(report).map((remark) => html`<p>${remark}</p>`)}
    ${
      others.length > 0 &&
      html`<h3>The others</h3>
        <${Verdicts} mutants=${others} />`
    }`;
}
