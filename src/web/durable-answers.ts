import type { Transport } from "../webhooks/transport.ts";
import { gatedTransport } from "../webhooks/gated-transport.ts";

/** A store of changes that tells when they are on the disk. */
export interface Durability {
  /** Counts how often changes were taken back because the disk did not take them. */
  readonly era: number;
  /** Undefined unless changes are being taken back right now. */
  readonly ready: Promise<void> | undefined;
  /** Resolves once everything up to now is on the disk, undefined where it is; rejects where it was taken back. */
  settled(): Promise<void> | undefined;
}

/** Answers a request. */
export type Answer = (request: Request, env?: object) => Response | Promise<Response>;

/**
 * Lets an answer go out only once all that it may have seen or changed is on the disk. Where that was taken back,
 * `failed` answers in its place.
 */
export function answerDurably(
  durability: Durability,
  {
    answer,
    failed,
  }: { readonly answer: Answer; readonly failed: (request: Request, reason: string) => Response },
): Answer {
  return async function answerOnceDurable(request, env) {
    if (durability.ready) await durability.ready;
    const { era } = durability;
    const response = await answer(request, env);
    try {
      await durability.settled();
    } catch (error) {
      return failed(request, (error as Error).message);
    }
    return durability.era === era
      ? response
      : failed(request, "Failed to save the change. Nothing was done. Send it again.");
  };
}

/** Lets an attempt leave only once the change that caused it is on the disk; one that was taken back never leaves. */
export function sendDurably(durability: Durability, transport: Transport): Transport {
  return gatedTransport(transport, async () => {
    try {
      await durability.settled();
      return durability.ready === undefined;
    } catch {
      return false;
    }
  });
}
