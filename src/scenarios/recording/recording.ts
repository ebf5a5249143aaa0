import type { FixtureSource } from "../../server/access/fixture-files.ts";
import type { RecordedSession } from "../../server/control/recorded-session.ts";
import { Document, isCollection, isMap, isPair, isScalar, isSeq, Scalar, visit } from "yaml";
import { DEFAULT_ORIGIN, type RecordedStep, brasilia, stepOf } from "./steps.ts";
import { LongWork } from "../../base/long-work.ts";
import { References } from "./references.ts";
import { sessionStepsOf } from "./session-steps.ts";

/** The longest list or object that is written on one line. */
const inLineMax = 90;

/** A list with more items is never on one line, so that its items can be written one after another. */
const ITEMS_IN_STEP_MAX = inLineMax;

/**
 * Writes a session as a scenario file that passes and leaves the same journal. The session is read twice, and the text
 * is made piece by piece. So neither is in memory as a whole.
 */
export async function recordingOf(
  session: RecordedSession,
  /** The fixtures at the start of the world: a folder, or lists. Undefined for the fixtures that ship. */
  fixtures?: FixtureSource,
): Promise<AsyncGenerator<string, void>> {
  const work = new LongWork();
  const references = new References();
  let requests = 0;
  let origin: string | undefined;
  for (const step of sessionStepsOf(session.items(), session)) {
    if (work.isDue) await work.nextTurn();
    if (step === undefined) continue;
    if (step.kind === "request") {
      requests++;
      origin ??= step.request.origin;
    }
    const recorded = stepOf(step, session);
    for (const item of recorded.items?.values() ?? []) {
      references.readItem(item);
      if (work.isDue) await work.nextTurn();
    }
    references.read(recorded);
  }
  return textOf(session, { references, requests, origin: origin ?? DEFAULT_ORIGIN, fixtures });
}

async function* textOf(
  session: RecordedSession,
  {
    references,
    requests,
    origin,
    fixtures,
  }: {
    readonly references: References;
    readonly requests: number;
    readonly origin: string;
    readonly fixtures: FixtureSource | undefined;
  },
): AsyncGenerator<string, void> {
  const { seed, start, assumptions, webhookUrl } = session;
  const head = {
    name: `A session with the world ${session.world}`,
    description: describe(session, requests),
    seed,
    start: brasilia(start),
    ...(fixtures !== undefined && { fixtures }),
    webhookUrl,
    ...(origin !== DEFAULT_ORIGIN && { origin }),
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
  };
  yield yamlOf(head, { comment: commentOf(session) });
  const work = new LongWork();
  let index = 0;
  for (const step of sessionStepsOf(session.items(), session)) {
    if (work.isDue) await work.nextTurn();
    if (step === undefined) continue;
    if (index === 0) yield STEPS;
    yield* stepText(stepOf(step, session), { references, index: index++, work });
  }
  if (index === 0) yield "steps: []\n";
}

const STEPS = "steps:\n";

async function* stepText(
  recorded: RecordedStep,
  {
    references,
    index,
    work,
  }: {
    readonly references: References;
    readonly index: number;
    readonly work: LongWork;
  },
): AsyncGenerator<string, void> {
  const step = references.written(recorded, index);
  const { items } = recorded;
  if (items === undefined) return yield yamlOf({ steps: [step] }).slice(STEPS.length);
  const { key } = items;
  const first = Array.from(items.values().take(ITEMS_IN_STEP_MAX + 1));
  if (first.length <= ITEMS_IN_STEP_MAX) {
    const receiver = { [key]: references.writtenItem(first, index) };
    return yield yamlOf({ steps: [{ ...step, receiver }] }).slice(STEPS.length);
  }
  const head = `  - receiver:\n      ${key}:\n`;
  yield head;
  for (const item of items.values()) {
    const steps = [{ receiver: { [key]: [references.writtenItem(item, index)] } }];
    yield yamlOf({ steps }, { isItem: true }).slice(STEPS.length + head.length);
    if (work.isDue) await work.nextTurn();
  }
}

function yamlOf(content: object, { comment, isItem }: { comment?: string; isItem?: boolean } = {}): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  foldShort(document, isItem === true ? ITEM_DEPTH : STEP_DEPTH);
  if (comment !== undefined) document.commentBefore = comment;
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function describe({ now, gaps }: RecordedSession, count: number): string {
  const requests = count === 1 ? "One request" : `${count} requests`;
  return [`${requests}, recorded until ${brasilia(now)}.`, ...gaps].join(" ");
}

function commentOf({ digest, gaps }: RecordedSession): string {
  const heading =
    digest === undefined
      ? " Recorded by sandbank. Run it with: sandbank run FILE"
      : ` Recorded by sandbank. Run it with: sandbank run FILE\n Its journal has the digest ${digest}.`;
  return [heading, ...gaps.map((gap) => ` ${gap}`)].join("\n");
}

/** Puts short collections below a depth on one line, from the inside out. Each step keeps its own lines. */
function foldShort(document: Document, depth: number): void {
  visit(document, {
    Collection(_key, node, path) {
      if (path.length <= depth || !isCollection(node)) return;
      if (lengthOf(node) <= inLineMax) node.flow = true;
    },
    Scalar(_key, node) {
      if (typeof node.value === "string" && node.value.includes("\n")) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
}

/** The document, its map, the pair of the steps, the list of steps: a step is below these four. */
const STEP_DEPTH = 4;

/** The step, the pair of the receiver, its map and the pair of the list are between a step and an item of a list. */
const ITEM_DEPTH = STEP_DEPTH + 4;

function lengthOf(node: unknown): number {
  if (isScalar(node)) return JSON.stringify(node.value)?.length ?? 4;
  if (isMap(node)) return 4 + node.items.reduce((sum, pair) => sum + lengthOf(pair), 0);
  if (isSeq(node)) return 4 + node.items.reduce<number>((sum, item) => sum + lengthOf(item) + 2, 0);
  if (isPair(node)) return lengthOf(node.key) + lengthOf(node.value) + 2;
  return 0;
}
