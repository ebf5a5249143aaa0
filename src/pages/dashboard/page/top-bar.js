import { app, change, notify, update, useWorldTime } from "./app.js";
import { advanceTarget, brasilia, span } from "./time.js";
import { BY_TOKEN, namedWorld, openWorld, openWorldOfToken, shownWorld, worldName } from "./worlds.js";
import { formatAddress, HOME } from "./address.js";
import { ConfirmButton, Dialog } from "./components.js";
import { counted } from "./text.js";
import { html, useState } from "../../html/preact.js";
import { reset, takeSnapshot } from "./world-view.js";

/** Shows the bar at the top: the shown world, its time, and the ways to change that time. */
export function TopBar() {
  const { isMenuOpen, shown } = app;
  const toggle = () => update({ isMenuOpen: !isMenuOpen });
  return html`<header id="bar" data-open=${isMenuOpen ? true : undefined}>
    <button
      id="menu"
      class="menu"
      aria-expanded=${String(isMenuOpen)}
      aria-controls="places"
      onClick=${toggle}
    >
      ☰ ${shown?.view.title ?? "Menu"}
    </button>
    <a class="brand" href=${formatAddress({ view: HOME })}>sandbank</a>
    <${ClockDisplay} />
    <${NextButton} />
    <div class="tools">
      <${WorldChoice} />
      <${AdvanceForm} />
      <button onClick=${takeSnapshot}>Snapshot</button>
      <${ConfirmButton} label="Reset" question="Really reset?" confirmed=${reset} />
    </div>
  </header>`;
}

/** Shows the next due timer and its time. A click advances to it. */
function NextButton() {
  const { due } = app;
  const now = useWorldTime();
  if (due === undefined || now === undefined)
    return html`<button class="next" disabled title="Nothing is due">next: nothing</button>`;
  return html`<button
    class="next"
    title=${`Advance to ${due.timer} at ${due.at}`}
    onClick=${() => advance("next")}
  >
    next in ${span(Date.parse(due.at) - now)}: ${due.timer}
  </button>`;
}

function WorldChoice() {
  const { worlds } = app;
  const [isAsking, setAsking] = useState(false);
  const present = namedWorld() === BY_TOKEN ? undefined : shownWorld(worlds);
  const choose = (/** @type {any} */ { target }) => {
    if (target.value === BY_TOKEN) setAsking(true);
    else openWorld(target.value);
  };
  const closed = (/** @type {string | undefined} */ token) => {
    setAsking(false);
    if (token !== undefined) openWorldOfToken(token.trim());
  };
  if (worlds.length === 0) return null;
  return html`<select class="world" aria-label="World" value=${present?.id ?? BY_TOKEN} onChange=${choose}>
      ${worlds.map((world) => html`<option value=${world.id}>${worldName(world)}</option>`)}
      <option value=${BY_TOKEN}>by token…</option>
    </select>
    ${
      isAsking &&
      html`<${Dialog} title="Which world?" submit="Show it" closed=${closed}>
        <p class="soft">The token of a company shows its world.</p>
        <input type="text" name="typed" required autocomplete="off" aria-label="Token" />
      <//>`
    }`;
}

function ClockDisplay() {
  const { clock } = app;
  const now = useWorldTime();
  if (clock === undefined || now === undefined) return html`<div class="clock" />`;
  const { weekday, date, time, offset, shortDate } = brasilia(now);
  const isRunning = clock.mode === "running";
  const toggle = () =>
    change("PUT /sandbox/clock", isRunning ? "The clock is frozen." : "The clock runs.", {
      mode: isRunning ? "frozen" : "running",
    });
  return html`<div class="clock">
    <button
      class="mode"
      data-mode=${clock.mode}
      title=${isRunning ? "Freeze the clock" : "Let the clock run"}
      onClick=${toggle}
    >
      ${clock.mode}
    </button>
    <b class="time" title=${`Brasília; ${new Date(now).toISOString()}`}>${time}</b>
    <span class="soft date" title="Brasília">
      <span class="wide">${`${weekday} `}</span>${shortDate}<span class="wide"
        >${`${date.slice(shortDate.length)}, ${offset}`}</span
      >
    </span>
  </div>`;
}

/** The steps of time for one click. */
const STEPS = ["1 h", "1 d", "1 mo"];

function AdvanceForm() {
  const [text, setText] = useState("");
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (text.trim() !== "" && (await advance(text))) setText("");
  };
  return html`<form class="advance" onSubmit=${submit}>
    ${STEPS.map(
      (step) =>
        html`<button type="button" title="Advance by ${step}" onClick=${() => advance(step)}>
          +${step}
        </button>`,
    )}
    <input
      type="text"
      placeholder="3 d, 2026-12-01, idle"
      aria-label="Advance by or to"
      autocomplete="off"
      spellcheck=${false}
      value=${text}
      onInput=${(/** @type {any} */ { target }) => setText(target.value)}
    />
    <button class="primary" type="submit">Advance</button>
  </form>`;
}

/** Advances the clock as a person typed it, and reports how much happened on the way. @param {string} typed */
function advance(typed) {
  return change(
    "POST /sandbox/clock/advance",
    ({ from, to, fired, happened, stoppedBy }) => {
      const [first] = happened;
      const link = first && {
        href: formatAddress({ view: "timeline", query: { since: String(first.entry) } }),
        text: "What happened",
      };
      const limit = stoppedBy === undefined ? "" : ` A limit ended it early: ${stoppedBy}.`;
      const entries = happened.length === 1 ? "1 timeline entry" : `${happened.length} timeline entries`;
      notify(
        `Advanced by ${span(Date.parse(to) - Date.parse(from))}: ${counted(fired, "timer")} fired, ${entries}.${limit}`,
        { link },
      );
    },
    advanceTarget(typed),
  );
}
