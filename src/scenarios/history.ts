import type { Answer } from "../partner/partner-request.ts";
import { EVERY } from "../server/control/client.js";
import { defined, isRecord } from "../simulator/engine/json.ts";
import type { Difference } from "./expectation.ts";
import type { ScenarioFailure, TimelineEntry } from "./result.ts";
import type { ScenarioStep } from "./scenario.ts";
import type { Session } from "./session.ts";
import type { StepClient } from "./step-client.ts";
import { idOf } from "./step-failure.ts";

/** The maximum number of timeline entries in a failure. */
const ENTRIES_MAX = 12;

/** Returns the last timeline entries of the world, oldest first. */
export async function lastEvents(client: StepClient): Promise<TimelineEntry[]> {
  return (await timeline(client)).slice(-ENTRIES_MAX);
}

/**
 * Returns the history of the object of a failure: its last entries, and their causes elsewhere, such as a call, a plan
 * or a fault. Empty if the failure has no object.
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
  const objectId = named ?? expectedId(differences) ?? session.facts.subject;
  if (objectId === undefined) return {};
  const history = await timeline(session.client, objectId);
  const recent = new Set(history.filter((line) => line.objectId === objectId).slice(-ENTRIES_MAX));
  const causes = history.filter((line) => line.objectId !== objectId || recent.has(line));
  return causes.length === 0 ? {} : { why: { objectId, causes } };
}

/** Returns the id of a step's object: the object that it created, or the object that it names. */
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

/** Returns the object or delivery that the failed expectation names. */
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

/** Reads the timeline. Empty if it cannot be read, because the failure itself is more important. */
async function timeline(client: StepClient, about?: string): Promise<readonly TimelineEntry[]> {
  try {
    return (await client.ask("GET /sandbox/timeline", defined({ about, last: EVERY }))).data;
  } catch {
    return [];
  }
}
