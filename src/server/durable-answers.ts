import type { Transport } from "../webhooks/transport.ts";
import { after } from "./after.ts";
import { NOT_SENT } from "../webhooks/transport.ts";

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
  function answerNow(request: Request, env?: object): Response | Promise<Response> {
    const { era } = durability;
    return after(answer(request, env), (response) => {
      const settled = durability.settled();
      const isTakenBack = (): boolean => durability.era !== era;
      const takenBack = "Failed to save the change. Nothing was done. Send it again.";
      if (settled === undefined) return isTakenBack() ? failed(request, takenBack) : response;
      return settled.then(
        () => (isTakenBack() ? failed(request, takenBack) : response),
        (error: Error) => failed(request, error.message),
      );
    });
  }
  return function answerOnceDurable(request, env) {
    return durability.ready === undefined
      ? answerNow(request, env)
      : durability.ready.then(() => answerNow(request, env));
  };
}

/** Lets an attempt leave only once the change that caused it is on the disk; one that was taken back never leaves. */
export function sendDurably(durability: Durability, transport: Transport): Transport {
  return async (requests) =>
    (await isSaved(durability)) ? transport(requests) : requests.map(() => NOT_SENT);
}

async function isSaved(durability: Durability): Promise<boolean> {
  try {
    await durability.settled();
    return durability.ready === undefined;
  } catch {
    return false;
  }
}
