import type { ScriptedAnswer, ScriptedReceiver, ScriptedReply } from "./receiver.ts";
import type { AdvanceStep, CallStep, ReceiverStep, ScenarioStep } from "./scenario.ts";
import type { Answer, Session } from "./session.ts";
import { seededChance } from "../engine/random.ts";
import { parseAddress, pathParameters } from "./check-step.ts";
import { StepFailure, idOf, refused } from "./session.ts";
import { isRecord, shown } from "./source.ts";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Does what a step says, its expressions filled in already, and waits until the world has settled. Gives the
 * answer, or undefined for a verb that gets none.
 */
export async function perform(step: ScenarioStep, session: Session): Promise<Answer | undefined> {
  switch (step.verb) {
    case "call": {
      const answer = await call(step, session);
      await session.settle();
      return answer;
    }
    case "act": {
      const body = { ...(step.on === undefined ? {} : { id: idOf(step.on) }), ...step.with };
      const answer = await session.control(`/sandbox/acts/${encodeURIComponent(step.act)}`, body, step.as);
      await session.settle();
      return answer;
    }
    case "plan": {
      const { plan, on, outcomes } = step;
      return session.control("/sandbox/plans", {
        plan,
        ...(on === undefined ? {} : { on: idOf(on) }),
        outcomes,
      });
    }
    case "fault": {
      const { object, ...fault } = step.fault;
      return session.control(
        "/sandbox/faults",
        object === undefined ? fault : { ...fault, object: idOf(object) },
      );
    }
    case "advance":
      return advance(step, session);
    case "receiver":
      await direct(step, session);
      return undefined;
    case "expect":
      return undefined;
  }
}

async function call(step: CallStep, session: Session): Promise<Answer> {
  const operation = session.operations[step.call];
  const target = parseAddress(step.call) ?? operation;
  if (target === undefined) throw new StepFailure(`There is no operation \`${step.call}\`.`);
  const isForm = operation?.errorForm === "oauth";
  const caller = operation?.authenticated === false && step.as === undefined ? null : step.as;
  const named = Object.entries(step.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  const key = step.key === undefined && operation?.idempotencyKey ? inventKey(step, session) : step.key;
  const headers: { [name: string]: string } = {
    ...session.authorization(caller),
    ...(step.body === undefined ? {} : { "content-type": isForm ? formType : "application/json" }),
    ...(key === undefined || key === null ? {} : { "idempotency-key": String(key) }),
    ...Object.fromEntries(named),
  };
  const path = `${filledPath(target.path, step.path ?? {})}${queryText(step.query)}`;
  const body = step.body === undefined ? {} : { body: bodyText(step.body, headers["content-type"] ?? "") };
  return session.ask({ method: target.method, path, headers, ...body });
}

const formType = "application/x-www-form-urlencoded";

/** The same key on every run with the same seed, and another one for every step. */
function inventKey(step: CallStep, session: Session): string {
  return seededChance(session.seed, `idempotency key of step ${step.number}`).uuid();
}

function filledPath(path: string, values: { readonly [name: string]: unknown }): string {
  return pathParameters(path).reduce(
    (filled, name) =>
      filled.replace(`{${name}}`, () => encodeURIComponent(plain(values[name], `path.${name}`))),
    path,
  );
}

function queryText(query: CallStep["query"]): string {
  if (query === undefined) return "";
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) parameters.append(name, plain(one, `query.${name}`));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** A text goes out exactly as it stands, so that broken JSON can be sent too. */
function bodyText(body: unknown, contentType: string): string {
  if (typeof body === "string") return body;
  if (!contentType.startsWith(formType) || !isRecord(body)) return JSON.stringify(body);
  return new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [name, plain(value, `body.${name}`)]),
  ).toString();
}

function plain(value: unknown, where: string): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new StepFailure(`\`${where}\` is ${shown(value)}. Only a text, a number or a boolean fits there.`);
}

async function advance({ advance: how, wait }: AdvanceStep, session: Session): Promise<Answer> {
  const held = session.world.receiver?.heldCount ?? 0;
  if (wait !== false && held > 0) {
    throw new StepFailure(
      `The clock would wait for ever: the receiver holds ${held} webhooks back. Let it answer first, or say \`wait: false\`.`,
    );
  }
  const body = { ...(typeof how === "string" ? { by: how } : how), ...(wait === false && { wait }) };
  const answer = await session.control("/sandbox/clock/advance", body);
  const { happened, stoppedBy } = (answer.body ?? {}) as { happened?: unknown; stoppedBy?: unknown };
  if (Array.isArray(happened)) session.happened.push(...(happened as unknown[]));
  if (stoppedBy !== undefined && stoppedBy !== null) {
    throw new StepFailure(
      `The clock stopped on the way, by the limit ${shown(stoppedBy)}. Advance in smaller steps.`,
      {
        answer,
      },
    );
  }
  return answer;
}

async function direct({ receiver: said }: ReceiverStep, session: Session): Promise<void> {
  const { receiver } = session.world;
  if (receiver === undefined) {
    throw new StepFailure(
      "The receiver cannot be scripted: the webhooks go to an endpoint of the partner's own.",
    );
  }
  if (said.holds === true) receiver.hold();
  for (const reply of (said.replies ?? []) as ScriptedReply[]) await replyTo(receiver, reply, session);
  if (said.answers === undefined) return;
  receiver.script(said.answers as ScriptedAnswer[], { always: said.always === true });
  await session.settle();
}

/** What an answer says against a step that expects nothing of its status, headers or body; undefined when all is well. */
export function complaint(title: string, answer: Answer): string | undefined {
  return answer.status === null || answer.status >= 400 ? refused(title, answer) : undefined;
}

/** How long a webhook that is to be answered may take to come, or its answer to be taken in. */
const patienceMs = 5_000;

/** Answers a webhook that the receiver holds back, and waits until the world has taken the answer in. */
export async function replyTo(
  receiver: ScriptedReceiver,
  reply: ScriptedReply,
  session: Session,
): Promise<void> {
  const wanted = typeof reply === "object" && "to" in reply ? reply.to : 1;
  if (!(await until(() => receiver.heldCount >= wanted))) {
    throw new StepFailure(
      `There is no webhook ${wanted} to reply to: the receiver holds ${receiver.heldCount} back. Say \`holds: true\` before the step that sends it.`,
    );
  }
  const before = await attemptsMade(session);
  receiver.reply(reply);
  const held = receiver.heldCount;
  // A webhook that goes out beside others is taken in with them; until then the next of them comes to be held.
  await until(async () => receiver.heldCount > held || (await attemptsMade(session)) > before);
}

async function attemptsMade(session: Session): Promise<number> {
  const { data } = (await session.observe("/sandbox/deliveries")) as {
    data: readonly { readonly attempts: readonly unknown[] }[];
  };
  return data.reduce((sum, { attempts }) => sum + attempts.length, 0);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(1)) {
    if (await holds()) return true;
  }
  return false;
}
