import { Listener, type ListenerOrder } from "../../simulator/webhooks/listeners.ts";
import { type Endpoint, refuse, type WorldAsked } from "./endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";
import { STREAMS } from "./timeline.ts";
import { events as eventNames } from "../../simulator/api/events.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** The program that receives the webhooks of a world in place of their URLs: `sandbank listen`. */
export const listenerEndpoints = {
  streamAttempts: {
    method: "GET",
    path: "/sandbox/listener/attempts",
    tag: "Webhooks",
    summary: "Receive the attempts of a world as server-sent events, in place of their URLs",
    description:
      "`attempt` has `{order, requests}`: make the requests and report their results. A world has one listener, which ends with its stream. The token of a company is enough: then only the webhooks of this company come.",
    access: "company",
    query: "ListenerQuery",
    response: "AttemptStream",
    gives: "text/event-stream",
    errors: ["ILLEGAL_ACT"],
    limit: STREAMS,
    answer: (asked) => {
      const { world, worlds, query } = asked;
      const { listeners } = worlds;
      const { id, host, forward } = query;
      const companyId = companyOf(asked);
      const present = listeners.of(world.id)?.about;
      if (present !== undefined && (present.id !== id || present.companyId !== companyId))
        throw isTaken(present, companyId);
      const events =
        query.events === undefined ? undefined : new Set(query.events.split(",").map(knownEvent));
      const waiting: (ListenerOrder | undefined)[] = [];
      const listen = (wake: () => void): (() => void) => {
        const push = (order: ListenerOrder | undefined): void => {
          waiting.push(order);
          wake();
        };
        return listeners.connect(world.id, new Listener({ id, host, forward, events, companyId }, push));
      };
      return eventStream(asked, listen, async function* attempts(state) {
        yield "retry: 1000\n\n";
        yield "event: listening\ndata: {}\n\n";
        while (!state.isOver) {
          const orders = waiting.splice(0);
          for (const order of orders) {
            if (order === undefined) return;
            yield attemptEvent(order);
          }
          if (orders.length === 0 && !(await state.news())) yield ": still here\n\n";
        }
      });
    },
  } satisfies Endpoint<never, "ListenerQuery">,
  reportAttempts: {
    method: "POST",
    path: "/sandbox/listener/results",
    tag: "Webhooks",
    summary: "Report the results of attempts that a listener has made",
    access: "company",
    request: "ListenerResults",
    response: "ListenerReported",
    answer: (asked) => {
      const { world, worlds, body } = asked;
      const { id, order, results } = body;
      const listener = worlds.listeners.of(world.id);
      const isOwn = listener?.about.id === id && listener.about.companyId === companyOf(asked);
      return { reported: isOwn && listener.report(order, results) };
    },
  } satisfies Endpoint<"ListenerResults">,
};

function knownEvent(name: string): string {
  if (name in eventNames) return name;
  return refuse(
    "events",
    `There is no event "${name.slice(0, 60)}". ${suggestion(name, Object.keys(eventNames), { all: "docs/webhooks.md" })}`,
  );
}

/** Returns the company whose token a request has. Null if the request has only the admin token: then all companies. */
function companyOf({ headers, companyId }: Pick<WorldAsked, "headers" | "companyId">): string | null {
  return headers.has("authorization") ? companyId : null;
}

/** Returns the refusal of a second listener. Only its own company and the admin learn the place of the first one. */
function isTaken(present: Listener["about"], companyId: string | null): Refusal {
  const { host, forward } = present;
  const isShown = companyId === null || companyId === present.companyId;
  const place = isShown ? `on ${host}, with --forward ${forward}` : "with the token of another company";
  const description = `The world already has a listener: ${place}. End that listener, or use another world.`;
  return new Refusal("ILLEGAL_ACT", description, [{ field: "id", issue: "ILLEGAL_ACT", description }]);
}

/** Writes attempts as an event. A body is in base64, because a fault may send any bytes. */
function attemptEvent({ number: order, requests }: ListenerOrder): string {
  const sent = requests.map(({ headers, body, deadlineMs, manner, about }) => ({
    event: about?.event,
    headers,
    body: Buffer.from(body).toString("base64"),
    deadlineMs,
    ...(manner !== undefined && manner.kind !== "hold-last-byte" && { manner }),
  }));
  return `event: attempt\ndata: ${JSON.stringify({ order, requests: sent })}\n\n`;
}
