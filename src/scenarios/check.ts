import { CommandFailure } from "../base/failures.ts";
import type { NoteMistake, ScenarioContext } from "./context.ts";
import {
  CLOCK_YEARS,
  addDuration,
  isDuration,
  isOnTheClock,
  parseInstant,
} from "../simulator/engine/instant.ts";
import {
  checkAct,
  checkAwaited,
  checkCall,
  checkExpectation,
  checkFault,
  checkProbe,
  checkRequest,
  expectsRefusal,
} from "./check-step.ts";
import { assumptions } from "./vocabulary.ts";
import { hasExpression, knownNames, lookUp, parseTemplate, reservedNames } from "./expression.ts";
import { DEFAULT_START, verbOf, verbs, verbsIn } from "./scenario.ts";
import { writtenSteps } from "./rounds.ts";
import { checkSentText } from "./sendable-text.ts";
import { checkUnknownWords } from "./unknown-words.ts";
import { schemaMistakes } from "./schema.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { type Path, hint, quoted, shown } from "./source.ts";
import { currentId, readAssumption, readAssumptions } from "../simulator/platform/assumptions/reading.ts";
import { SAO_PAULO } from "../simulator/countries/brazil/calendar.ts";

interface Checking {
  /** Matrix values and params: the values that are known before the first step. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly context: ScenarioContext;
  readonly report: NoteMistake;
  readonly lineOf: (path: Path) => number;
}

interface StepChecking extends Checking {
  /** True if a step can read the state of the partner's system. */
  readonly isProbed: boolean;
}

/** Finds all mistakes of a scenario before it runs. Its matrix values and fixtures are already filled in. */
export function checkScenario(tree: JsonObject, checking: Checking): void {
  const { report, values } = checking;
  for (const { path, message, atKey } of schemaMistakes(tree)) {
    // The schema of its verb explains a mistake inside a step.
    if (path[0] !== "steps" || path.length === 1) report(path, message, atKey);
  }
  for (const key of ["name", "seed", "start", "fixtures", "assumptions"]) {
    checkReferences(tree[key], [key], { values, unusable: ["today", "now", "fake"], report });
  }
  checkAssumptions(tree["assumptions"], report);
  checkClock(tree, report);
  const steps = Array.isArray(tree["steps"]) ? tree["steps"] : [];
  const known = { values: new Map(values).set("run", UNKNOWN), lines: new Map(), savedAt: new Map() };
  const { isPosted = false, isProbed = false } = checking.context;
  const { probe } = tree;
  const saved = checkSteps(steps, ["steps"], known, {
    ...checking,
    isProbed: isProbed || (isRecord(probe) && probe["url"] !== undefined),
  });
  checkReferences(tree["returns"], ["returns"], { values: saved, report });
  if (isPosted && tree["deviations"] !== undefined)
    report(["deviations"], "A posted scenario has no deviations. Run the file with `sandbank run`.", true);
  checkProbe(probe, isPosted, (path, message, atKey) => report(["probe", ...path], message, atKey));
  checkReferences(probe, ["probe"], { values: new Map(saved).set("world", UNKNOWN), report });
}

function checkAssumptions(given: unknown, report: NoteMistake): void {
  if (!isRecord(given)) return;
  let isRight = true;
  for (const [id, value] of Object.entries(given)) {
    const isKnown = Object.hasOwn(assumptions, currentId(id));
    const read = isKnown ? readAssumption(id, value) : undefined;
    if (read !== undefined && !("mistake" in read)) continue;
    isRight = false;
    const message =
      read?.mistake ??
      `There is no assumption \`${id}\`. ${hint(id, Object.keys(assumptions), "sandbank assumptions")}`;
    report(["assumptions", id], message, !isKnown);
  }
  // Values that are each right may still contradict one another.
  if (!isRight) return;
  for (const mistake of readAssumptions(given).mistakes) report(["assumptions"], mistake);
}

/** The names around a list of steps. */
interface KnownNames {
  readonly values: ReadonlyMap<string, unknown>;
  /** The lines of the names that are saved before the list. */
  readonly lines: ReadonlyMap<string, number>;
  /** The lines of all names that are saved outside of the list. */
  readonly savedAt: ReadonlyMap<string, number>;
}

/**
 * Checks the steps of a file, or of a round, in order, each with the names that earlier steps saved. Returns these
 * names.
 */
function checkSteps(
  steps: readonly unknown[],
  below: Path,
  known: KnownNames,
  checking: StepChecking,
): Map<string, unknown> {
  const { report, lineOf } = checking;
  const lines = new Map(known.lines);
  const savedAt = new Map(known.savedAt);
  const ofRounds = new Map<string, number>();
  steps.forEach((step, index) => {
    if (isRecord(step) && typeof step["save"] === "string")
      savedAt.set(step["save"], lineOf([...below, index, "save"]));
  });
  const values = new Map(known.values);
  steps.forEach((step, index) => {
    const path = [...below, index];
    if (!isRecord(step)) {
      report(path, `A step is an object with one of ${quoted(verbs)}; found ${shown(step)}.`);
      return;
    }
    checkStep(step, path, checking);
    const { save, expect, ...before } = step;
    const { repeat } = step;
    const readable = { values, savedAt, ofRounds, report };
    if (verbOf(step) === "repeat" && isRecord(repeat)) {
      for (const name of checkRound(repeat, [...path, "repeat"], { values, lines, savedAt }, checking))
        ofRounds.set(name, lineOf(path));
    } else checkReferences(before, path, readable);
    if (typeof save === "string") {
      checkSave(save, [...path, "save"], lines, report);
      lines.set(save, lineOf([...path, "save"]));
      values.set(save, UNKNOWN);
    }
    checkReferences(expect, [...path, "expect"], readable);
  });
  return values;
}

const TICK_IN_ROUND =
  "`tick` has no meaning in a round: the job would run once more without its round. Write a step with it after the `repeat`.";

/** Checks the steps of a `repeat`. Returns the names that belong to its rounds. */
function checkRound(
  { as, steps }: JsonObject,
  path: Path,
  around: KnownNames,
  checking: StepChecking,
): readonly string[] {
  const { report, lineOf } = checking;
  const values = new Map(around.values);
  const lines = new Map(around.lines);
  if (typeof as === "string") {
    checkSave(as, [...path, "as"], lines, report);
    lines.set(as, lineOf([...path, "as"]));
    values.set(as, UNKNOWN);
  }
  const inside = Array.isArray(steps) ? (steps as unknown[]) : [];
  for (const [index, step] of inside.entries())
    if (isRecord(step) && step["tick"] === true)
      report([...path, "steps", index, "tick"], TICK_IN_ROUND, true);
  const saved = checkSteps(inside, [...path, "steps"], { ...around, values, lines }, checking);
  return [...saved.keys()].filter((name) => !around.values.has(name));
}

/** The placeholder for a value that a step saves. It is known only when the scenario runs. */
const UNKNOWN = Symbol("saved by a step");

function checkSave(save: string, path: Path, lines: ReadonlyMap<string, number>, report: NoteMistake): void {
  if (reservedNames.includes(save))
    report(
      path,
      `\`${save}\` cannot be a name for a saved answer, because expressions use it for another purpose. Choose another name.`,
    );
  const line = lines.get(save);
  if (line !== undefined) report(path, `\`${save}\` is saved at line ${line} already. Choose another name.`);
}

function checkStep(step: JsonObject, path: Path, { report, context, isProbed }: StepChecking): void {
  const { isPosted = false } = context;
  const found = verbsIn(step);
  const [verb] = found;
  if (verb === undefined) {
    const [key] = Object.keys(step);
    if (key === undefined) report(path, `The step is empty. It can have ${quoted(verbs)}.`);
    else
      report(
        [...path, key],
        `The step has no verb; found \`${key}\`. ${hint(key, verbs, "docs/scenario-reference.md")}`,
        true,
      );
    return;
  }
  if (found.length > 1) {
    report(path, `A step has one verb; found ${quoted(found, "and")}. Make a step of each.`);
    return;
  }
  const mistakes = schemaMistakes(step, `${verb}Step`).filter(
    // The schema lists the operations for editors only. The context knows the operations that can be called. The steps
    // of a round are checked one by one.
    ({ path: [first, second, ...rest] }) =>
      !(verb === "repeat" && second === "steps" && rest.length > 0) &&
      !(verb === "call" && first === "call" && typeof step["call"] === "string") &&
      !(verb === "fault" && second === "operation" && rest.length === 0 && isOperationText(step["fault"])),
  );
  for (const mistake of mistakes) report([...path, ...mistake.path], mistake.message, mistake.atKey);
  const here: NoteMistake = (below, message, atKey) => report([...path, ...below], message, atKey);
  if (verb === "call") checkCall(step, here);
  if (verb === "call" || verb === "request") checkSentText(step, here);
  if (verb === "request") checkRequest(step, isPosted, here);
  if (verb === "act") checkAct(step, mistakes.length === 0, here);
  if (verb === "fault" && mistakes.length === 0) checkFault(step, here);
  checkUnknownWords(step, context.routes, here);
  checkExpectation(step["expect"], ["expect"], { report: here, isPosted });
  checkAwaited(step, { isPosted, isProbed }, here);
}

function isOperationText(fault: unknown): boolean {
  return isRecord(fault) && typeof fault["operation"] === "string";
}

interface Readable {
  /** The values that can be read here, by name. A symbol is a value that is known only when the scenario runs. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The line that saves a name, for all names of the file. */
  readonly savedAt?: ReadonlyMap<string, number>;
  /** The names that belong to the rounds of an earlier `repeat`, and its line. */
  readonly ofRounds?: ReadonlyMap<string, number>;
  /** The dates without a value here, because the world does not exist yet. */
  readonly unusable?: readonly string[];
  readonly report: NoteMistake;
}

/** Reports every expression inside `value` that is unreadable or names an unknown value. */
function checkReferences(value: unknown, path: Path, readable: Readable): void {
  if (typeof value === "string" && hasExpression(value)) return checkText(value, path, readable);
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    checkReferences(item, [...path, Array.isArray(value) ? Number(key) : key], readable);
  }
}

function checkText(text: string, path: Path, readable: Readable): void {
  const { values, savedAt, ofRounds, unusable = [], report } = readable;
  try {
    for (const part of parseTemplate(text)) {
      if (typeof part === "string") continue;
      if (part.kind === "date") {
        if (unusable.includes(part.base))
          report(path, `\`\${${part.text}}\` has no value here: there is no world yet.`);
        continue;
      }
      if (part.kind === "fake") {
        if (unusable.includes("fake"))
          report(path, `\`\${${part.text}}\` has no value here: there is no world yet.`);
        continue;
      }
      const line = savedAt?.get(part.name);
      if (!values.has(part.name) && line !== undefined) {
        report(path, `\`${part.name}\` is saved only at line ${line}. Save it in an earlier step.`);
        continue;
      }
      const round = ofRounds?.get(part.name);
      if (!values.has(part.name) && round !== undefined) {
        report(
          path,
          `\`${part.name}\` belongs to the rounds of the \`repeat\` at line ${round}. Use it there.`,
        );
        continue;
      }
      if (typeof values.get(part.name) === "symbol") continue;
      const names = knownNames(values, unusable.length > 0 ? [] : ["today", "now"]);
      const problem = values.has(part.name)
        ? lookUp(part, values).problem
        : `Nothing is saved as \`${part.name}\`. ${hint(part.name, names)}`;
      if (problem !== undefined) report(path, problem);
    }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    report(path, error.message);
  }
}

/** The calls that take the clock back. */
const GOES_BACK = /^POST \/sandbox\/(?:reset|snapshots\/[^/]+\/restore)$/;

/**
 * Reports steps that move time backwards: an `advance` to an earlier time is a mistake, unless the step expects the
 * refusal. The time of a world that starts now is unknown before its first `to`.
 */
function checkClock(scenario: JsonObject, report: NoteMistake): void {
  const start = instantOf(scenario["start"] ?? DEFAULT_START);
  checkBounds(scenario["start"], (message) => report(["start"], message));
  let earliest = start;
  // One round of each `repeat` shows the earliest time after it.
  for (const { step, path } of writtenSteps(scenario["steps"])) {
    if (typeof step["call"] === "string" && GOES_BACK.test(step["call"])) earliest = start;
    if (step["advance"] === undefined || expectsRefusal(step)) continue;
    const how = isRecord(step["advance"]) ? step["advance"] : { by: step["advance"] };
    const to = instantOf(how["to"]);
    checkBounds(how["to"], (message) => report([...path, "advance", "to"], message));
    if (to !== undefined && earliest !== undefined && to < earliest) {
      const message = `${String(how["to"])} is in the past: the clock is at ${written(earliest)} or later. Time only goes forward. Restore a snapshot to go back.`;
      report([...path, "advance", "to"], message);
    }
    earliest = latest(to, movedOn(earliest, how["by"]));
  }
}

function checkBounds(value: unknown, report: (message: string) => void): void {
  const instant = instantOf(value);
  if (instant === undefined || isOnTheClock(instant)) return;
  report(`${String(value)} is outside ${CLOCK_YEARS}, the range of the clock.`);
}

function movedOn(instant: number | undefined, duration: unknown): number | undefined {
  if (instant === undefined || !isOnTheClock(instant)) return undefined;
  if (typeof duration !== "string" || !isDuration(duration)) return instant;
  return addDuration(instant, duration, SAO_PAULO);
}

function instantOf(value: unknown): number | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function written(instant: number): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}
