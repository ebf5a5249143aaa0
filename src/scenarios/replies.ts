import { setTimeout as pause } from "node:timers/promises";
import type { ScriptedReceiver, ScriptedReply } from "./receiver.ts";
import { StepFailure } from "./session.ts";
import type { Session } from "./session.ts";

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
  // What the outcome has made due arrives before the next reply.
  await pause(1);
}

async function attemptsMade(session: Session): Promise<number> {
  const { data } = (await session.observe("/sandbox/deliveries?wait=false")) as {
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
