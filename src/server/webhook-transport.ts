import type { Log } from "../base/log.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Usage } from "./usage.ts";
import { loggedTransport } from "./logged-transport.ts";
import { type IsStored, storedTransport, type Transport } from "../simulator/webhooks/transport.ts";

interface TransportParts {
  /** The transport of the caller, in place of the network. */
  readonly own: Transport | undefined;
  readonly network: Transport;
  readonly log: Log;
  readonly usage: Usage;
  readonly telemetry: Telemetry | undefined;
}

/**
 * Returns the transport of all worlds. An attempt passes its parts in this order: stored, traced, counted, logged,
 * sent. Without `isStored`, the worlds are only in memory.
 */
export function webhookTransport(
  { own, network, log, usage, telemetry }: TransportParts,
  isStored?: IsStored,
): Transport {
  const sent = own ?? loggedTransport(network, log);
  const counted = usage.counting(sent);
  const traced = telemetry?.tracing(counted) ?? counted;
  return isStored === undefined ? traced : storedTransport(traced, isStored);
}
