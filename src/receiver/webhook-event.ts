/** A webhook as the platform sends it: these bytes. */
export interface WebhookEvent {
  readonly name: string;
  readonly body: Buffer;
  /** What names the object in its body: by these an effect of it is found again. */
  readonly ids: readonly string[];
}

/** The event with another body; what it is about stays. */
export function withBody(event: WebhookEvent, body: string | Buffer): WebhookEvent {
  return { ...event, body: Buffer.from(body) };
}

/** The event with some fields written over, written densely as the platform does. */
export function withFields(event: WebhookEvent, change: (body: JsonObject) => unknown): WebhookEvent {
  return withBody(event, JSON.stringify(change(jsonOf(event))));
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function jsonOf({ body }: WebhookEvent): JsonObject {
  return JSON.parse(body.toString("utf8")) as JsonObject;
}

/** An event out of the text of a delivery. */
export function webhookEvent(text: string): WebhookEvent {
  const body = Buffer.from(text);
  const { event, id, code, data, refundId } = JSON.parse(text) as JsonObject;
  const inner = (data ?? {}) as JsonObject;
  const ids = [refundId, id, code, inner["id"], inner["externalId"]];
  return {
    name: String(event),
    body,
    ids: [...new Set(ids.filter((one): one is string => typeof one === "string"))],
  };
}
