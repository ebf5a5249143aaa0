import type { Bench, SendOptions } from "./bench.ts";
import type { Evidence } from "./check.ts";
import type { JsonObject } from "./webhook-event.ts";
import { evidenceOf, isAccepted } from "./bench.ts";
import { withFields } from "./webhook-event.ts";

/** A good event that differs in one thing that a receiver has to bear: in its body, or in how it is sent. */
export interface Variant {
  readonly what: string;
  readonly change?: (body: JsonObject) => JsonObject;
  readonly options?: SendOptions;
}

/** Sends every variant, and tells which were refused. */
export async function refusedAmong(
  bench: Bench,
  variants: readonly Variant[],
): Promise<{ readonly refused: readonly string[]; readonly evidence: readonly Evidence[] }> {
  const refused: string[] = [];
  const evidence: Evidence[] = [];
  for (const { what, change, options } of variants) {
    const event = await bench.event();
    const sent = await bench.send(change === undefined ? event : withFields(event, change), options);
    if (isAccepted(sent)) continue;
    refused.push(what);
    evidence.push(evidenceOf(sent, `an event with ${what}`, "2xx"));
  }
  return { refused, evidence };
}
