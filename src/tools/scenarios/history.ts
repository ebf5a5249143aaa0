import { EVERY } from "../../control/client.js";
import { defined, isRecord } from "../../engine/json.ts";
import type { Difference } from "./expectation.ts";
import type { ScenarioFailure, TimelineEntry } from "./result.ts";
import type { ScenarioStep } from "./scenario.ts";
import { type Answer, type Session, idOf } from "./session.ts";

/** How many timeline entries a failure shows. */
const ENTRIES_MAX = 12;

/** The last timeline entries of the world, oldest first. */
export async function lastEvents(session: Session): Promise<TimelineEntry[]> {
  return (await timeline(session)).slice(-ENTRIES_MAX);
}

/**
 * The history of the object that a failure is about: its last entries, and their causes elsewhere, such as a call,
 * a plan or a fault. Empty where the failure is about no object.
 */
export async function whyOf(
  step: ScenarioStep,
  differences: readonly Difference[],
  session: Session,
): Promise<Pick<ScenarioFailure, "why">> {
  const named = await session
    .fill(step)
    .then(idNamed)
    .catch(() => undefined);
  const objectId = named ?? expectedId(differences) ?? session.subject;
  if (objectId === undefined) return {};
  const history = await timeline(session, objectId);
  const recent = new Set(history.filter((line) => line.objectId === objectId).slice(-ENTRIES_MAX));
  const causes = history.filter((line) => line.objectId !== objectId || recent.has(line));
  return causes.length === 0 ? {} : { why: { objectId, causes } };
}

/** The object that a step is about: the one that it created, or the one that it names. */
export function subjectOf(step: ScenarioStep, answer: Answer | undefined): string | undefined {
  if (step.verb !== "call" && step.verb !== "act") return undefined;
  const { status, body } = answer ?? {};
  const created = status === 201 || status === 200 ? textOf(body, "id") : undefined;
  return created ?? idNamed(step);
}

function idNamed(step: ScenarioStep): string | undefined {
  const [first] = [step.expect?.resource].flat();
  const named =
    first?.id ??
    ("on" in step ? step.on : undefined) ??
    ("path" in step ? Object.values(step.path ?? {})[0] : undefined);
  return named === undefined ? undefined : idOf(named);
}

/** The object or delivery that the failed expectation names. */
function expectedId(differences: readonly Difference[]): string | undefined {
  for (const { expected } of differences) {
    const data = isRecord(expected) ? expected["data"] : undefined;
    const id = textOf(data, "id") ?? textOf(expected, "objectId") ?? textOf(expected, "id");
    if (id !== undefined) return id;
  }
  return undefined;
}

function textOf(value: unknown, field: string): string | undefined {
  const text = isRecord(value) ? value[field] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** Empty where the timeline cannot be read: the failure itself is more important. */
async function timeline(session: Session, about?: string): Promise<readonly TimelineEntry[]> {
  try {
    return (await session.ask("GET /sandbox/timeline", defined({ about, last: EVERY }))).data;
  } catch {
    return [];
  }
}
