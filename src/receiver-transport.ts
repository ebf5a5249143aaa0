import type { ScriptedReceiver } from "./scenarios/receiver.ts";
import type { Transport } from "./webhooks/transport.ts";
import { inProcessTransport } from "./webhooks/in-process.ts";

/** Hands attempts to the receiver of a scenario: no socket, no wall time, the same every time. */
export function transportTo(receiver: ScriptedReceiver): Transport {
  return inProcessTransport((request) => receiver.receive(request));
}
