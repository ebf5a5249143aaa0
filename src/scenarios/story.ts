import { isRecord } from "./fixture.ts";
import type { Difference } from "./expectation.ts";
import type { Answer, Session } from "./session.ts";
import { idOf } from "./session.ts";
import type { ResourceExpectation, ScenarioStep } from "./scenario.ts";
import type { ScenarioFailure, TimelineEntry } from "./result.ts";

/** How many of the last things that happened a failure tells. */
const timelineMax = 12;

/** The last things that happened in the world, oldest first. */
export async function lastEvents(session: Session): Promise<TimelineEntry[]> {
  return (await timeline(session, "")).slice(-timelineMax);
}

/**
 * Why the object that a failure is about is as it is: the last that happened to it, and whatever led there from
 * elsewhere, such as the call, plan or fault that began it. Empty where no object is concerned.
 */
export async function whyOf(
  step: ScenarioStep,
  differences: readonly Difference[],
  session: Session,
): Promise<Pick<ScenarioFailure, "why">> {
  const objectId = (await namedBy(step, session)) ?? differing(differences) ?? session.subject;
  if (objectId === undefined) return {};
  const led = await timeline(session, `?about=${encodeURIComponent(objectId)}`);
  const recent = new Set(led.filter((line) => line.objectId === objectId).slice(-timelineMax));
  const causes = led.filter((line) => line.objectId !== objectId || recent.has(line));
  return causes.length === 0 ? {} : { why: { objectId, causes } };
}

/** The object that a step is about once it is done: what it made, else what it named. */
export function subjectOf(step: ScenarioStep, answer: Answer | undefined): string | undefined {
  if (step.verb !== "call" && step.verb !== "act") return undefined;
  const { status, body } = answer ?? {};
  const made = status === 201 || status === 200 ? textOf(body, "id") : undefined;
  return made ?? idNamed(step);
}

async function namedBy(step: ScenarioStep, session: Session): Promise<string | undefined> {
  try {
    return idNamed(await session.fill(step));
  } catch {
    return undefined;
  }
}

function idNamed(step: ScenarioStep): string | undefined {
  const resource: unknown = step.expect?.resource;
  const looked: unknown = Array.isArray(resource) ? resource[0] : resource;
  const named =
    (looked as ResourceExpectation | undefined)?.id ??
    ("on" in step ? step.on : undefined) ??
    ("path" in step ? Object.values(step.path ?? {})[0] : undefined);
  return named === undefined ? undefined : idOf(named);
}

/** The object or delivery at which what came differs from what was expected, where the expectation names it. */
function differing(differences: readonly Difference[]): string | undefined {
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

/** The failure itself matters more than the story around it, so one that cannot be read is empty. */
async function timeline(session: Session, query: string): Promise<TimelineEntry[]> {
  try {
    const answer = await session.observe(`/sandbox/timeline${query}`);
    return (answer as { data?: TimelineEntry[] } | undefined)?.data ?? [];
  } catch {
    return [];
  }
}
