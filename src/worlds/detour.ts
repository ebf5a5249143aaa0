import type { Transport } from "../webhooks/transport.ts";
import type { WebhookRequest } from "../webhooks/attempt.ts";

/** A transport that can be led elsewhere for a while. */
export class Detour {
  /** Takes the detour while there is one. */
  readonly transport: Transport;
  #elsewhere: Transport | undefined;

  constructor(usual: Transport) {
    const { together } = usual;
    const deliver: Transport = (request) => (this.#elsewhere ?? usual)(request);
    this.transport =
      together === undefined
        ? deliver
        : Object.assign(deliver, {
            together: (requests: readonly WebhookRequest[]) =>
              this.#elsewhere === undefined ? together(requests) : Promise.all(requests.map(this.#elsewhere)),
          });
  }

  /** Hands everything to another transport until the function it gives is called. */
  take(elsewhere: Transport): () => void {
    this.#elsewhere = elsewhere;
    return () => {
      if (this.#elsewhere === elsewhere) this.#elsewhere = undefined;
    };
  }
}
