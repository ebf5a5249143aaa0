import { operationNamed } from "./vocabulary.ts";
import type { AdvanceReport } from "../simulator/api/generated/shapes.ts";
import type { ScriptedAnswer, ScriptedReceiver, ScriptedReply } from "./receiver.ts";
import type { AdvanceStep, CallStep, ReceiverStep, RequestStep, ScenarioStep } from "./scenario.ts";
import { seededChance } from "../simulator/engine/random.ts";
import { durationMs } from "../simulator/engine/instant.ts";
import { EVERY, OWN_AGENT } from "../server/control/client.js";
import { PARTNER_URL, parseAddress, parseRequest, pathParameters } from "./check-step.ts";
import { answerWithLints } from "./lints.ts";
import { type Answer, sendRequest } from "../partner/partner-request.ts";
import { type SentPart, sendProblem } from "./sendable-text.ts";
import type { Session } from "./session.ts";
import type { StepClient } from "./step-client.ts";
import { StepFailure, idOf, refused } from "./step-failure.ts";
import { handled } from "../partner/handler.ts";
import { isRecord, parsed } from "../simulator/engine/json.ts";
import { shown } from "./source.ts";
import type { Wall } from "../base/wall.ts";

/**
 * Performs a step whose expressions are filled in, and waits until no webhook is in flight and the partner's system has
 * done its work. Gives the answer, or undefined for a verb without one.
 */
export async function perform(step: ScenarioStep, session: Session): Promise<Answer | undefined> {
  const { client } = session;
  switch (step.verb) {
    case "call": {
      const answer = await call(step, session);
      await rested(session);
      return answer;
    }
    case "request": {
      const answer = await answerWithLints(step, session, () => request(step, session));
      await rested(session);
      return answer;
    }
    case "act": {
      const body = { ...(step.on === undefined ? {} : { id: idOf(step.on) }), ...step.with };
      const answer = await client.control(
        `POST /sandbox/acts/${encodeURIComponent(step.act)}`,
        body,
        step.as,
      );
      await rested(session);
      return answer;
    }
    case "plan": {
      const { plan, on, outcomes } = step;
      const object = on === undefined ? {} : { on: idOf(on) };
      return client.control("POST /sandbox/plans", { plan, ...object, outcomes });
    }
    case "fault": {
      const { object, ...fault } = step.fault;
      const about = object === undefined ? {} : { object: idOf(object) };
      return client.control("POST /sandbox/faults", { ...fault, ...about });
    }
    case "advance": {
      const answer = await advance(step, session);
      if (session.world.partner?.rested !== undefined) await rested(session);
      return answer;
    }
    case "receiver":
      await scriptReceiver(step, session);
      return undefined;
    case "repeat":
    case "expect":
      return undefined;
  }
}

/** Waits until no webhook is in flight, also none that the last work of the partner's system caused. */
export async function rested({ client, world }: Session): Promise<void> {
  await client.settle();
  if (world.partner?.rested === undefined) return;
  await world.partner.rested();
  await client.settle();
}

async function call(step: CallStep, session: Session): Promise<Answer> {
  const operation = operationNamed(step.call);
  const target = parseAddress(step.call) ?? operation;
  if (target === undefined) throw new StepFailure(`There is no operation \`${step.call}\`.`);
  const isForm = operation?.isForm === true;
  const caller = operation?.access === "anyone" && step.as === undefined ? null : step.as;
  const named = Object.entries(headerTexts(step.headers)).map(([name, value]) => [name.toLowerCase(), value]);
  const key = step.key === undefined && operation?.idempotencyKey ? keyFor(step, session) : step.key;
  const headers: { [name: string]: string } = {
    "user-agent": OWN_AGENT,
    ...headerTexts(session.client.authorization(caller)),
    ...(step.body === undefined ? {} : { "content-type": isForm ? FORM_TYPE : "application/json" }),
    ...(key === undefined || key === null ? {} : headerTexts({ "idempotency-key": key })),
    ...Object.fromEntries(named),
  };
  const path = `${filledPath(target.path, step.path ?? {})}${queryText(step.query)}`;
  const body = step.body === undefined ? {} : { body: bodyText(step.body, headers["content-type"] ?? "") };
  return session.client.send({ method: target.method, path, headers, ...body });
}

/** The time that the partner's system may take to answer a request. */
const REQUEST_TIMEOUT = "PT10S";

async function request(step: RequestStep, session: Session): Promise<Answer> {
  const target = parseRequest(step.request);
  if (target === undefined)
    throw new StepFailure(`\`${step.request}\` cannot be requested: it is not a method and a URL.`);
  const isText = typeof step.body === "string";
  const sent = {
    ...target,
    headers: {
      ...(step.body !== undefined && !isText && { "content-type": "application/json" }),
      ...headerTexts(step.headers),
    },
    ...(step.body !== undefined && { body: bodyText(step.body, "") }),
  };
  const timeoutMs = durationMs(step.timeout ?? REQUEST_TIMEOUT);
  const { world } = session;
  const isHere = target.url.startsWith(PARTNER_URL);
  const send = async (): Promise<Answer> => {
    if (!isHere) await world.partner?.ready?.();
    const answer = isHere
      ? await requestHere({ ...sent, timeoutMs }, session)
      : await sendRequest({ ...sent, timeoutMs, wall: session.wall });
    await world.partner?.answered?.(answer.status);
    return answer;
  };
  // Two requests of one moment leave here, because all work before takes a different time for each.
  const [, answer] = await Promise.all([world.partner?.alsoSent?.(send), send()]);
  return answer;
}

/** Asks the client of this process. */
async function requestHere(
  { url, timeoutMs, ...init }: RequestInit & { url: string; timeoutMs: number },
  session: Session,
): Promise<Answer> {
  const { wall, world } = session;
  const client = world.partner?.client;
  if (client === undefined)
    throw new StepFailure(
      `No system answers \`${url}\`: URLs that begin with ${PARTNER_URL} are for the \`client\` of explore() in the library. Write the whole URL of your system.`,
    );
  const answer = await handled(client, new Request(url, init), { deadlineMs: timeoutMs, wall });
  if (!("error" in answer)) return { ...answer, body: parsed(answer.body) };
  const isLate = answer.error === "timeout";
  const body = isLate ? `none came within ${timeoutMs} ms` : "the connection was reset";
  return { status: null, headers: {}, body };
}

const FORM_TYPE = "application/x-www-form-urlencoded";

/** Returns the same key for every run with the same seed, and a different one for every step. */
function keyFor(step: CallStep, session: Session): string {
  return seededChance(session.seed, `idempotency key of ${session.nameOf(step)}`).uuid();
}

function filledPath(path: string, values: { readonly [name: string]: unknown }): string {
  return pathParameters(path).reduce(
    (filled, name) =>
      filled.replace(`{${name}}`, () =>
        encodeURIComponent(sendable("path", name, plain(values[name], `path.${name}`))),
      ),
    path,
  );
}

function queryText(query: CallStep["query"]): string {
  if (query === undefined) return "";
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      parameters.append(name, sendable("query", name, plain(one, `query.${name}`)));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** Returns headers as texts. Throws a `StepFailure` for a text that no header can have. */
function headerTexts(headers: { readonly [name: string]: unknown } = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, sendable("header", name, String(value))]),
  );
}

/** Returns a text that arrives as it is. Throws a `StepFailure` for any other text. */
function sendable(part: SentPart, name: string, text: string): string {
  const problem = sendProblem(part, text);
  if (problem === undefined) return text;
  throw new StepFailure(`\`${name}\` is ${shown(text)} and cannot be sent: ${problem}`);
}

/** Returns the text of a body. A string is sent exactly as it is, so that invalid JSON can be sent. */
function bodyText(body: unknown, contentType: string): string {
  if (typeof body === "string") return body;
  if (!contentType.startsWith(FORM_TYPE) || !isRecord(body)) return JSON.stringify(body);
  return new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [name, plain(value, `body.${name}`)]),
  ).toString();
}

function plain(value: unknown, where: string): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new StepFailure(`\`${where}\` is ${shown(value)}. It must be a string, a number or a boolean.`);
}

async function advance({ advance: how, wait }: AdvanceStep, session: Session): Promise<Answer> {
  const { client, facts, world } = session;
  const held = world.receiver?.heldCount ?? 0;
  if (wait !== false && held > 0) {
    throw new StepFailure(
      `The clock would wait without end: the receiver holds ${held} webhooks back. Let it answer first, or set \`wait: false\`.`,
    );
  }
  const body = { ...(typeof how === "string" ? { by: how } : how), ...(wait === false && { wait }) };
  const answer = await shownAdvance(client.control("POST /sandbox/clock/advance", body), session);
  const { happened, rest, stoppedBy, follower } = (answer.body ?? {}) as Partial<AdvanceReport>;
  if (Array.isArray(happened)) facts.happened = facts.happened.concat(happened as unknown[]);
  if (rest !== undefined) {
    const { data } = await client.ask("GET /sandbox/timeline", { since: rest, last: EVERY, wait: "false" });
    facts.happened = facts.happened.concat(data);
  }
  if (follower !== undefined) throw new StepFailure(lateSentence(follower), { answer });
  // Such a fault is meant to stop the clock.
  if (stoppedBy !== undefined && stoppedBy !== null && stoppedBy !== "fault") {
    const fix =
      stoppedBy === "turnsPerInstantMax"
        ? "The receiver, or a follower, starts new work at each webhook or turn, without end. Let it stop."
        : "Advance in smaller steps.";
    throw new StepFailure(`The clock stopped early, at the limit ${shown(stoppedBy)}. ${fix}`, { answer });
  }
  return answer;
}

/** The pause between two looks at the clock during an advance. */
const LOOK_MS = 1_000;

/** Waits for the answer of an advance, and shows the time of the world if that takes long. */
async function shownAdvance(
  advanced: Promise<Answer>,
  { client, wall, onAdvance }: Session,
): Promise<Answer> {
  if (onAdvance === undefined) return advanced;
  const end = new AbortController();
  const { signal } = end;
  const show = async (): Promise<void> => {
    for (;;) {
      await wall.pause(LOOK_MS, signal);
      const now = signal.aborted ? undefined : await client.now();
      if (signal.aborted) return;
      onAdvance(now);
    }
  };
  // A world that is closed has no time. Its advance fails as well.
  show().catch(() => undefined);
  try {
    return await advanced;
  } finally {
    end.abort();
    onAdvance();
  }
}

/** Names a follower of the clock that stopped an advance. */
export function lateSentence({ name, at }: { readonly name: string; readonly at: string }): string {
  return `The clock stopped at ${at}: the follower "${name}" did not say in time that it is idle. Find out why it waits.`;
}

async function scriptReceiver({ receiver: script }: ReceiverStep, session: Session): Promise<void> {
  const { receiver } = session.world;
  if (receiver === undefined) {
    throw new StepFailure("The receiver cannot be scripted: the webhooks are sent to your own endpoint.");
  }
  if (script.holds === true) receiver.hold();
  for (const reply of (script.replies ?? []) as ScriptedReply[]) await replyTo(receiver, reply, session);
  if (script.answers === undefined) return;
  receiver.script(script.answers as ScriptedAnswer[], { always: script.always === true });
  await session.client.settle();
}

/** Returns the sentence about a refusal that the step did not expect. Undefined for a successful answer. */
export function refusalOf(title: string, answer: Answer): string | undefined {
  return answer.status === null || answer.status >= 400 ? refused(title, answer) : undefined;
}

/** The time that a reply waits for its webhook, and for the processing of its answer. */
const REPLY_TIMEOUT_MS = 5_000;

/** Answers a webhook that the receiver holds back, and waits until the world has processed the answer. */
async function replyTo(receiver: ScriptedReceiver, reply: ScriptedReply, session: Session): Promise<void> {
  const position = typeof reply === "object" && "to" in reply ? reply.to : 1;
  const { client, wall } = session;
  if (!(await until(() => receiver.heldCount >= position, wall))) {
    throw new StepFailure(
      `There is no webhook ${position} to reply to: the receiver holds ${receiver.heldCount} back. Set \`holds: true\` in a step before the webhook is sent.`,
    );
  }
  const before = await attemptsMade(client);
  receiver.reply(reply);
  const held = receiver.heldCount;
  // Webhooks that were sent at the same time are processed together. Until then, the next of them is held.
  await until(async () => receiver.heldCount > held || (await attemptsMade(client)) > before, wall);
  // A read only shows the outcome. This call makes it part of the world, and the events that are now due arrive before
  // the next reply.
  await client.control("POST /sandbox/clock/advance", { by: "PT0S", wait: false });
  await wall.pause(1);
}

async function attemptsMade(client: StepClient): Promise<number> {
  const { data } = await client.ask("GET /sandbox/deliveries", { last: EVERY, wait: "false" });
  return data.reduce((sum, { attempts }) => sum + attempts.length, 0);
}

async function until(condition: () => boolean | Promise<boolean>, wall: Wall): Promise<boolean> {
  for (const end = wall.now() + REPLY_TIMEOUT_MS; wall.now() < end; await wall.pause(1)) {
    if (await condition()) return true;
  }
  return false;
}
