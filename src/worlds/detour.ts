import type { Transport } from "../webhooks/transport.ts";

/** A transport whose attempts can be taken elsewhere for a while. */
export class Detour {
  /** Makes attempts where they go at the moment. */
  readonly transport: Transport;
  #elsewhere: Transport | undefined;

  constructor(usual: Transport) {
    const deliver: Transport = (request) => (this.#elsewhere ?? usual)(request);
    const { together } = usual;
    const deliverTogether: NonNullable<typeof together> = (requests) =>
      together === undefined || this.#elsewhere !== undefined
        ? Promise.all(requests.map(deliver))
        : together(requests);
    this.transport = together === undefined ? deliver : Object.assign(deliver, { together: deliverTogether });
  }

  /** Takes every attempt elsewhere until the function it gives is called. */
  take(elsewhere: Transport): () => void {
    this.#elsewhere = elsewhere;
    return () => {
      if (this.#elsewhere === elsewhere) this.#elsewhere = undefined;
    };
  }
}
