import { CommandFailure } from "../base/failures.ts";
import { differencesOf } from "./expectation.ts";
import { readIgnoredPath } from "../partner/states/ignored-paths.ts";
import { readProbe } from "../partner/partner-state.ts";
import { rested } from "./perform.ts";
import type { AwaitedValue } from "./scenario.ts";
import type { Session } from "./session.ts";
import { shown } from "./source.ts";
import { StepFailure } from "./step-failure.ts";
import { valuesAt } from "./books/amounts.ts";

/**
 * Waits, at the same instant of the world, until the state of the partner's system shows a value. Throws a `StepFailure`
 * if the value does not come.
 */
export async function awaitState({ probe: path, is }: AwaitedValue, session: Session): Promise<void> {
  const { world, wall } = session;
  const until = world.partner?.until;
  const read = world.partner?.state ?? probeOf(session);
  if (until === undefined || read === undefined)
    throw new StepFailure(
      "`waitFor` cannot be played here, because your system is not part of the run. Use sandbank run or sandbank explore.",
    );
  const { mistake } = { mistake: undefined, ...readIgnoredPath(path) };
  if (mistake !== undefined) throw new StepFailure(mistake);
  const startedMs = wall.now();
  let found = "";
  let reads = 0;
  const isShown = async (): Promise<boolean> => {
    reads += 1;
    try {
      const values = valuesAt(path, await read());
      found = foundText(values);
      return (values.length === 0 ? [undefined] : values).some(
        (value) => differencesOf(is, value).length === 0,
      );
    } catch (error) {
      // A system may not show an object before it knows the object.
      if (!(error instanceof CommandFailure)) throw error;
      found = `it is unreadable (${error.message.replace(/\.$/, "")})`;
      return false;
    }
  };
  if (!(await until(isShown))) {
    const seconds = ((wall.now() - startedMs) / 1000).toFixed(1);
    throw new StepFailure(
      `Failed to wait until ${path} of the probe is ${shown(is)}: after ${seconds} s ${found}. Correct \`waitFor\`, or give your system more time with --settle.`,
    );
  }
  // Work that changed the state may also have caused webhooks.
  if (reads > 1) await rested(session);
}

function probeOf(session: Session): (() => Promise<unknown>) | undefined {
  const url = session.scenario.probe?.url;
  return url === undefined ? undefined : async () => readProbe(await session.fill(url), session.wall);
}

/** The maximum number of shown values. */
const SHOWN_MAX = 3;

function foundText(values: readonly unknown[]): string {
  if (values.length === 0) return "nothing is there";
  const more = values.length > SHOWN_MAX ? ` and ${values.length - SHOWN_MAX} more` : "";
  return `it is ${values.slice(0, SHOWN_MAX).map(shown).join(", ")}${more}`;
}
