// @ts-check
import { advanceTarget, brasilia, span, worldTime } from "./time.js";
import { chooseToken, chooseWorld, chosenWorld, namedWorld, TYPED } from "./worlds.js";
import { counted } from "./words.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { notify } from "./notices.js";
import { sureButton } from "./pieces.js";
import { reset, takeSnapshot } from "./world-view.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./time.js").Clock} Clock */
/** @typedef {import("./worlds.js").World} World */

/** Steps that time is moved on by, most wanted first. */
const STEPS = ["1 h", "1 d", "1 mo", "next"];

/**
 * The bar at the top: which world it is, what time it is there, and the ways to move that time.
 *
 * @param {Context} context
 */
export function clockBar(context) {
  const mode = el("button.mode", { onclick: () => void toggle(context, mode) });
  const time = el("b.time");
  const date = el("span.soft");
  const worlds = /** @type {HTMLSelectElement} */ (
    el("select.world", { "aria-label": "World", onchange: () => chosen(worlds) })
  );
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      placeholder: "3 d, 2026-12-01, idle",
      "aria-label": "Advance by or to",
      autocomplete: "off",
      spellcheck: "false",
    })
  );
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (field.value.trim() !== "")
      void advance(context, field.value).then((taken) => taken && (field.value = ""));
  };
  const steps = STEPS.map((step) =>
    el(
      "button",
      {
        title: step === "next" ? "Advance to whatever is due next" : `Advance by ${step}`,
        onclick: () => void advance(context, step),
      },
      step === "next" ? "next" : `+${step}`,
    ),
  );
  const bar = document.getElementById("bar");
  bar?.replaceChildren(
    el("a.brand", { href: formatAddress({ view: "subscriptions" }) }, "sandbank"),
    worlds,
    el("div.clock", {}, mode, time, date),
    el(
      "form.advance",
      { onsubmit },
      ...steps.map((step) => (step.setAttribute("type", "button"), step)),
      field,
      el("button.primary", { type: "submit" }, "Advance"),
    ),
    el(
      "div.ends",
      {},
      el("button", { onclick: () => void takeSnapshot(context) }, "Snapshot"),
      sureButton("Reset", "Really reset?", () => void reset(context)),
    ),
  );
  return {
    /** Shows the time and lets countdowns count. @param {Clock} clock */
    tick(clock) {
      const now = worldTime(clock, performance.now());
      const { weekday, date: day, time: hour } = brasilia(now);
      mode.textContent = clock.mode;
      mode.dataset["mode"] = clock.mode;
      mode.title = clock.mode === "running" ? "Freeze the clock" : "Let the clock run";
      time.textContent = hour;
      time.title = `Brasília; ${new Date(now).toISOString()}`;
      date.textContent = `${weekday} ${day}`;
      date.title = "Brasília";
      for (const countdown of document.querySelectorAll("[data-until]")) {
        countdown.textContent = span(Date.parse(countdown.getAttribute("data-until") ?? "") - now);
      }
    },
    /** Offers the worlds. @param {readonly World[]} all */
    offer(all) {
      const present = namedWorld() === TYPED ? undefined : chosenWorld(all, context.api.worldToken);
      const options = all.map(({ id, name }) =>
        el("option", { value: id, selected: id === present?.id }, name === id ? name : `${name} (${id})`),
      );
      worlds.replaceChildren(
        ...options,
        el("option", { value: TYPED, selected: present === undefined }, "by token…"),
      );
    },
  };
}

/** @param {HTMLSelectElement} worlds */
function chosen(worlds) {
  if (worlds.value !== TYPED) {
    chooseWorld(worlds.value);
    return;
  }
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { onclose: () => dialog.remove() }));
  const token = /** @type {HTMLInputElement} */ (
    el("input", { type: "text", required: true, autocomplete: "off", "aria-label": "Token" })
  );
  const onsubmit = () => chooseToken(token.value.trim());
  dialog.append(
    el(
      "form",
      { method: "dialog", onsubmit },
      el("h2", {}, "Which world?"),
      el("p.soft", {}, "Any token of a company leads into its world."),
      token,
      el("button.primary", {}, "Show it"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * @param {Context} context
 * @param {HTMLElement} mode
 */
function toggle({ api, perform }, mode) {
  const next = mode.dataset["mode"] === "running" ? "frozen" : "running";
  return perform(async () => {
    await api.send("PUT", "/clock", { mode: next });
    return next === "running" ? "Time flows." : "Time stands still.";
  });
}

/**
 * Moves time on, and says how much happened on the way.
 *
 * @param {Context} context
 * @param {string} typed
 */
function advance({ api, perform }, typed) {
  return perform(async () => {
    const { from, to, fired, happened, stoppedBy } = await api.post("/clock/advance", advanceTarget(typed));
    const [first] = happened;
    const link = first && {
      href: formatAddress({ view: "timeline", query: { since: String(first.entry) } }),
      text: "What happened",
    };
    const limit = stoppedBy === undefined ? "" : ` A limit ended it early: ${stoppedBy}.`;
    notify(
      `Moved on by ${span(Date.parse(to) - Date.parse(from))}: ${counted(fired, "timer")}, ${counted(happened.length, "thing")} happened.${limit}`,
      { link },
    );
    return undefined;
  });
}
