/** Where QR code payloads of the sandbox point: a place that only institutions of the sandbox read. */
const HOST = "pix.sandbank.example/qr/v2";

/** The location of a payment behind a dynamic QR code. */
export function chargeLocation(id: string): string {
  return `${HOST}/cob/${id}`;
}

/** The location of a recurrence that is to be authorized. */
export function recurrenceLocation(id: string): string {
  return `${HOST}/rec/${id}`;
}

/** The id in a charge location of the sandbox; undefined for a location of anybody else. */
export function chargeIdOf(location: string): string | undefined {
  const prefix = `${HOST}/cob/`;
  return location.startsWith(prefix) ? location.slice(prefix.length) : undefined;
}
