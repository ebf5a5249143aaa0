import { events } from "../../api/events.ts";

/** Where two bodies bear one name, what each of them tells. */
const TOLD_APART: Readonly<Record<string, string>> = {
  "ORDER-PAYIN.ERROR (REFUND)": "The refund failed",
  "ORDER-PAYIN.ERROR (PAY-IN)": "The pay-in failed",
};

/** An event, with its type where two bodies bear its name. */
export function kindOf(event: string, body: string): string {
  const { type } = JSON.parse(body) as { readonly type?: string };
  return event === "ORDER-PAYIN.ERROR" ? `${event} (${type})` : event;
}

/** How a pact describes an event: its kind first, then a sentence. */
export function eventDescription(event: string, body: string): string {
  const kind = kindOf(event, body);
  return `${kind}: ${TOLD_APART[kind] ?? events[event as keyof typeof events].summary}`;
}
