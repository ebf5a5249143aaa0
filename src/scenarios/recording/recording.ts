import { Document, isCollection, isMap, isPair, isScalar, isSeq, Scalar, visit } from "yaml";
import { sessionStepsOf } from "./session-steps.ts";
import type { RecordedSession } from "./session.ts";
import { withReferences } from "./references.ts";
import { brasilia, stepOf } from "./steps.ts";

/** The longest list or object that is written on one line. */
const inLineMax = 90;

/** Where the webhooks of a scenario go by default. */
const DEFAULT_ORIGIN = "http://localhost";

/** Writes a session as a scenario file that passes when it is run, and leaves the same journal. */
export function recordingOf(session: RecordedSession): string {
  const { seed, start, now, fixtures, assumptions, webhookUrl } = session;
  const steps = withReferences(
    sessionStepsOf(session.items, { start, now }).map((step) => stepOf(step, session)),
  );
  const origin = session.items.find((item) => item.kind === "request")?.request.origin ?? DEFAULT_ORIGIN;
  const document = new Document(
    {
      name: `A session with the world ${session.world}`,
      description: describe(session),
      seed,
      start: brasilia(start),
      ...(fixtures !== undefined && { fixtures }),
      webhookUrl,
      ...(origin !== DEFAULT_ORIGIN && { origin }),
      ...(Object.keys(assumptions).length > 0 && { assumptions }),
      steps,
    },
    { aliasDuplicateObjects: false },
  );
  foldShort(document);
  document.commentBefore = commentOf(session);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function describe({ items, now, gaps }: RecordedSession): string {
  const count = items.filter(({ kind }) => kind === "request").length;
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

/** Puts what is short on one line, from the inside out; each step keeps its own lines. */
function foldShort(document: Document): void {
  visit(document, {
    Collection(_key, node, path) {
      const isStep = path.length <= STEP_DEPTH;
      if (isStep || !isCollection(node)) return;
      if (lengthOf(node) <= inLineMax) node.flow = true;
    },
    Scalar(_key, node) {
      if (typeof node.value === "string" && node.value.includes("\n")) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
}

/** The document, its map, the pair of the steps, the list of steps: a step is below these four. */
const STEP_DEPTH = 4;

function lengthOf(node: unknown): number {
  if (isScalar(node)) return JSON.stringify(node.value)?.length ?? 4;
  if (isMap(node)) return 4 + node.items.reduce((sum, pair) => sum + lengthOf(pair), 0);
  if (isSeq(node)) return 4 + node.items.reduce<number>((sum, item) => sum + lengthOf(item) + 2, 0);
  if (isPair(node)) return lengthOf(node.key) + lengthOf(node.value) + 2;
  return 0;
}
