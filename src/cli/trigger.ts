import { endBy } from "./reports.ts";
import { note, print } from "./standard-streams.ts";
import { type ValuesOf, command } from "./command.ts";
import { number, pairs, text, texts, toggle, url } from "./flags.ts";
import { SEED_BOUNDS, drawnSeed, mustBeHttpUrl } from "../server/settings/setting-types.ts";
import type { AttemptResult } from "../simulator/webhooks/attempt.ts";
import type { SandboxWorld } from "../server/access/sandbox-interface.ts";
import { assertDefined } from "../simulator/engine/assertion.ts";
import { UsageError } from "../base/failures.ts";
import { controlClient, OWN_AGENT } from "../server/control/client.js";
import { localClient } from "../server/control/local-client.ts";
import { connectSandbox } from "../library/connect-sandbox.ts";
import { createSandbox } from "../library/sandbox.ts";
import { type EventKind, eventKinds, events } from "../simulator/api/events.ts";
import { isRecord } from "../simulator/engine/json.ts";
import type { Company } from "../simulator/api/generated/shapes.ts";
import { transportToNetwork } from "../server/access/webhook-sending.ts";
import { signedWebhook } from "./signed-webhook.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { variableOf } from "../server/settings/settings.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  event: text("Name of the event; --list shows them", { isArgument: true }),
  list: toggle("List the events", { default: false }),
  to: url(
    "URL of your webhook receiver [default: SANDBANK_WEBHOOK_URL, otherwise the company's URL at --target]",
  ),
  secret: text(
    "Webhook secret for the signature [default: SANDBANK_WEBHOOK_SECRET, otherwise the company's secret]",
  ),
  set: texts("Change a field of the body before the signature, such as data.status=REJECTED (repeatable)"),
  seed: number(
    [SEED_BOUNDS.min, SEED_BOUNDS.max],
    "Seed of the ids [default: a random seed, which is printed]",
  ),
  target: url(
    "Create the event in a new world of this running sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
  ),
};

type TriggerFlags = ValuesOf<typeof flags>;

/**
 * `sandbank trigger`: plays the calls and acts that lead to an event, and sends its signed webhook. It fails if the
 * webhook is not acknowledged.
 */
export const triggerCommand = command(flags, async (flags) => {
  if (flags.list) return list();
  const kind = kindOf(flags.event);
  const changes = Object.entries(pairs("--set", flags.set ?? [], "PATH=VALUE, such as data.status=REJECTED"));
  const seed = drawnSeed(flags.seed ?? "random");
  if (flags.target === undefined && givenUrl(flags) === undefined)
    throw new UsageError("--to is missing: the URL of your receiver.");
  const { body, company } = await happen(kind, seed, flags.target);
  const url = givenUrl(flags) ?? (await urlAt(flags.target ?? "", company));
  const text = changes.reduce((one, [path, value]) => changed(one, path, value), body);
  const secret = flags.secret ?? secretVariable("SANDBANK_WEBHOOK_SECRET") ?? company.webhookSecret;
  const request = signedWebhook(url, secret, text);
  const head = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  print(`POST ${url}\n${head.join("\n")}\n\n${withoutImages(text)}\n\n`);
  const [result] = await transportToNetwork()([request]);
  const answer = assertDefined(result, "the result of the attempt");
  print(answerText(answer));
  if (flags.seed === undefined) note(`The same ids again: --seed ${seed}\n`);
  endBy({
    suites: [{ name: kind.event ?? url, verdict: answer.error === null ? "passed" : "failed", cases: [] }],
  });
});

/** Returns the body for a reader. Its length replaces an image. */
function withoutImages(text: string): string {
  return text.replaceAll(/"[\w+/=]{1000,}"/g, (image) => `"(${image.length - 2} characters)"`);
}

function answerText({ status, message, responseHeaders, responseBody, durationMs }: AttemptResult): string {
  const head = status === null ? [] : [`${status} after ${durationMs} ms`];
  const type = responseHeaders["content-type"];
  const lines = [...head, ...(type === undefined ? [] : [`content-type: ${type}`])];
  const body = responseBody === "" ? "" : `\n${responseBody}\n`;
  return `${lines.map((line) => `${line}\n`).join("")}${body}${lines.length > 0 ? "\n" : ""}${message}\n`;
}

function list(): void {
  const width = Math.max(...eventKinds.map(({ name }) => name.length));
  for (const { name, event } of eventKinds) print(`${name.padEnd(width)}  ${events[event].summary}\n`);
}

function kindOf(written: string | undefined): EventKind {
  if (written === undefined)
    throw new UsageError("<event> is missing. sandbank trigger --list shows the events.");
  const name = written.toUpperCase();
  const found =
    eventKinds.find((kind) => kind.name === name) ?? eventKinds.find(({ event }) => event === name);
  if (found !== undefined) return found;
  const names = eventKinds.map((kind) => kind.name);
  throw new UsageError(
    `There is no event "${written}". ${suggestion(name, names, { countMax: 3, takesParts: true, all: "docs/webhooks.md" })}`,
  );
}

/** Returns the URL of a flag or a variable. */
function givenUrl({ to }: TriggerFlags): string | undefined {
  const name = variableOf("webhook-url");
  const given = process.env[name] || undefined;
  return to ?? (given === undefined ? undefined : mustBeHttpUrl(name, given));
}

/** Returns the webhook URL of a company of a running sandbox. */
async function urlAt(target: string, { id, token }: Company): Promise<string> {
  const response = await controlClient({ url: target, token, agent: OWN_AGENT }).send("/order/v1/webhook");
  const { url } = (await response.json()) as { readonly url?: string | null };
  if (typeof url === "string") return url;
  throw new UsageError(`--to is missing: the company ${id} at ${target} has no webhook URL.`);
}

interface Message {
  readonly body: string;
  /** The first company of the default world. */
  readonly company: Company;
}

/** Plays the calls and acts that lead to an event, in a new world. The webhooks of that world are not sent. */
async function happen(kind: EventKind, seed: number, target: string | undefined): Promise<Message> {
  if (target === undefined) {
    await using sandbox = await createSandbox({ seed });
    return await messageOf(sandbox, kind);
  }
  const adminToken = secretVariable("SANDBANK_ADMIN_TOKEN");
  const options = { seed, name: `trigger ${kind.name}`, keep: true, ...(adminToken && { adminToken }) };
  const world = await connectSandbox(target, options);
  const message = await messageOf(world, kind);
  note(`Its objects are in the world ${world.id}: ${world.dashboard}\n`);
  return message;
}

async function messageOf(world: SandboxWorld, { name }: EventKind): Promise<Message> {
  const client = localClient(world);
  const company = assertDefined((await client.worlds())[0]?.companies[0], "a company");
  const message = await client.open("POST /sandbox/pact/messages", { description: name, providerStates: [] });
  return { body: await message.text(), company };
}

/** Changes one field of a JSON text. A field that is a text stays a text. Any other field takes a JSON value. */
function changed(text: string, path: string, value: string): string {
  const body: unknown = JSON.parse(text);
  const paths = pathsIn(body);
  const place = paths.get(path);
  if (place === undefined)
    throw new UsageError(
      `There is no field ${path} in the body. ${suggestion(path, [...paths.keys()], { countMax: 3 })}`,
    );
  place.set(typeof place.value === "string" ? value : jsonOrText(value));
  return JSON.stringify(body);
}

interface Field {
  readonly value: unknown;
  readonly set: (value: unknown) => void;
}

/** Returns every field of a body by its path: `data.id`, `attempts[0].at`. */
function pathsIn(value: unknown, prefix = ""): Map<string, Field> {
  const fields = new Map<string, Field>();
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return fields;
  const container = value as Record<string, unknown>;
  for (const [key, one] of Object.entries(container)) {
    const path = isList ? `${prefix}[${key}]` : prefix === "" ? key : `${prefix}.${key}`;
    fields.set(path, { value: one, set: (changedValue) => (container[key] = changedValue) });
    for (const [below, field] of pathsIn(one, path)) fields.set(below, field);
  }
  return fields;
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
