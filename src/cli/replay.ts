import { endBy } from "./reports.ts";
import { note, print } from "./standard-streams.ts";
import { type ValuesOf, command } from "./command.ts";
import { announcedSeed, choice, number, secretFlag, seed, text, texts, url } from "./flags.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { readHars } from "../traffic/read-har.ts";
import { assertDefined } from "../simulator/engine/assertion.ts";
import { isRecord, parsed } from "../simulator/engine/json.ts";
import { matchesGlob } from "../simulator/platform/faults/selection.ts";
import { transportToNetwork } from "../server/access/webhook-sending.ts";
import { doubledNote } from "./recorded-files.ts";
import { reach } from "./run.ts";
import { readEntry } from "../checks/calibration/read-entry.ts";
import { seededChance } from "../simulator/engine/random.ts";
import { signedWebhook } from "./signed-webhook.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const ORDERS = ["recorded", "shuffled", "by-object"] as const;

const flags = {
  files: texts("HAR files of recorded traffic", { isArgument: true }),
  receiver: url("URL of your webhook receiver", { demandOption: true }),
  secret: secretFlag,
  event: text("Send only these events, such as 'ORDER-PAYIN.*'"),
  object: text("Send only webhooks whose body contains this id"),
  order: choice(ORDERS, "Order of the webhooks: as recorded, shuffled by --seed, or object by object", {
    default: "recorded",
  }),
  seed: seed("Seed of the shuffled order; random draws and prints one [default: 1]"),
  gap: number([0, 3_600_000], "Milliseconds between two webhooks", { default: "0" }),
};

type ReplayFlags = ValuesOf<typeof flags>;

interface RecordedWebhook {
  readonly event: string;
  /** The object of the line. A refund has a separate object. */
  readonly objectId: string;
  readonly text: string;
  readonly startedAt: number;
}

/**
 * `sandbank replay`: signs the webhooks of recorded traffic again, sends them one after another and reports each
 * answer. Exit codes: 0 all acknowledged, 1 not all, 2 not run.
 */
export const replayCommand = command(flags, async (flags, wall) => {
  const { files = [], receiver, event, object, order, gap } = flags;
  if (files.length === 0)
    throw new UsageError(
      "replay requires HAR files. Name one: sandbank replay session.har --receiver http://127.0.0.1:3000/webhooks",
    );
  if (flags.seed !== undefined && order !== "shuffled")
    throw new UsageError("--seed is only for a shuffled order. Give it with --order shuffled.");
  const found: RecordedWebhook[] = [];
  let blankCount = 0;
  const ends = await readHars(files, ({ value }) => {
    const entry = readEntry(value);
    if (entry?.isWebhook !== true) return;
    if (entry.requestText === undefined) blankCount += 1;
    else found.push(...webhookIn(entry.requestText, entry.startedAt));
  });
  for (const sentence of doubledNote(ends)) note(`${sentence}\n`);
  if (blankCount > 0)
    note(
      `Left out: ${blankCount} ${blankCount === 1 ? "webhook" : "webhooks"} without a body in the files.\n`,
    );
  const recorded = found.toSorted((one, other) => one.startedAt - other.startedAt);
  const chosen = recorded.filter(
    (webhook) =>
      (event === undefined || matchesGlob(event, webhook.event)) &&
      (object === undefined || webhook.text.includes(JSON.stringify(object))),
  );
  if (chosen.length === 0) throw new FileMistakes(nothingToReplay(recorded, flags));
  await reach({ receiver }, wall);
  const secret = flags.secret ?? secretVariable("SANDBANK_WEBHOOK_SECRET") ?? "acme-webhook-secret";
  const seed = order === "shuffled" ? announcedSeed(flags.seed ?? 1) : 1;
  const send = transportToNetwork();
  let acknowledged = 0;
  for (const [index, { event: name, objectId, text, startedAt }] of inOrder(chosen, order, seed).entries()) {
    if (index > 0 && gap > 0) await wall.pause(gap);
    const request = signedWebhook(receiver, secret, text);
    const result = assertDefined((await send([request]))[0], "the result of the attempt");
    const { error, status, durationMs, message } = result;
    const sign = error === null ? "✓" : "✗";
    if (error === null) acknowledged += 1;
    const answer = status === null ? message : `${status} after ${durationMs} ms`;
    print(`${sign} ${new Date(startedAt).toISOString()}  ${name}  ${objectId}  ${answer}\n`);
  }
  print(`${acknowledged} of ${chosen.length} acknowledged.\n`);
  endBy({
    suites: [{ name: receiver, verdict: acknowledged === chosen.length ? "passed" : "failed", cases: [] }],
  });
});

/** Reads a body as a webhook. Empty for bodies that no receiver could read. */
function webhookIn(text: string, startedAt: number): RecordedWebhook[] {
  const body = parsed(text);
  if (!isRecord(body) || typeof body["event"] !== "string") return [];
  const data = isRecord(body["data"]) ? body["data"] : body;
  const objectId = body["refundId"] ?? data["id"];
  if (typeof objectId !== "string") return [];
  return [{ event: body["event"], objectId, text, startedAt }];
}

function nothingToReplay(recorded: readonly RecordedWebhook[], { event, object }: ReplayFlags): string {
  if (recorded.length === 0)
    return "Failed to replay: the files contain no webhooks. Record them: sandbank record --webhooks-to URL.";
  const names = [...new Set(recorded.map((webhook) => webhook.event))].join(", ");
  const asked = [event && `--event ${event}`, object && `--object ${object}`].filter(Boolean).join(" and ");
  return `Failed to replay: no webhook of ${recorded.length} fits ${asked}. Choose one of these events: ${names}.`;
}

function inOrder(
  webhooks: readonly RecordedWebhook[],
  order: (typeof ORDERS)[number],
  seed: number,
): RecordedWebhook[] {
  if (order === "by-object") return [...Map.groupBy(webhooks, ({ objectId }) => objectId).values()].flat();
  if (order === "recorded") return [...webhooks];
  const chance = seededChance(seed, "replay");
  const left = [...webhooks];
  return webhooks.flatMap(() => left.splice(chance.below(left.length), 1));
}
