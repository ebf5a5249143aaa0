import { Listener, type ListenerEnd, type ListenerOrder } from "../../simulator/webhooks/listeners.ts";
import { type Endpoint, refuse, type WorldAsked } from "./endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";
import { STREAMS } from "./timeline.ts";
import { events as eventNames } from "../../simulator/api/events.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** The programs that receive the webhooks of a world in place of their URLs: `sandbank listen`. */
export const listenerEndpoints = {
  streamAttempts: {
    method: "GET",
    path: "/sandbox/listener/attempts",
    tag: "Webhooks",
    summary: "Receive the attempts of a world as server-sent events, in place of their URLs",
    description:
      "`attempt` has `{order, requests}`: make the requests and report their results. The token of a company is enough: then only the webhooks of this company come. A world has one listener for each company and one for all, which ends with its stream. `ended` has a `{message}`: the token of the stream has expired or was removed.",
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
      const present = listeners.of(world.id, companyId)?.about;
      if (present !== undefined && present.id !== id) throw isTaken(present);
      const events =
        query.events === undefined ? undefined : new Set(query.events.split(",").map(knownEvent));
      // Without a company, the stream was allowed by the admin token, or by none.
      const endOfToken = (): string | undefined => (companyId === null ? undefined : asked.endOfToken());
      const waiting: (ListenerOrder | ListenerEnd)[] = [];
      let wakeStream = (): void => undefined;
      const about = { id, host, forward, events, companyId, endOfToken };
      const listener = new Listener(about, (order) => {
        waiting.push(order);
        wakeStream();
      });
      const endIfRefused = (): void => listeners.endIfRefused(world.id, listener);
      const listen = (wake: () => void): (() => void) => {
        wakeStream = wake;
        const disconnect = listeners.connect(world.id, listener);
        const unwatch = world.watch(endIfRefused);
        return () => {
          unwatch();
          disconnect();
        };
      };
      return eventStream(asked, listen, async function* attempts(state) {
        yield "retry: 1000\n\n";
        yield "event: listening\ndata: {}\n\n";
        while (!state.isOver) {
          const orders = waiting.splice(0);
          for (const order of orders) {
            yield "ended" in order ? endedEvent(order) : attemptEvent(order);
            if ("ended" in order) return;
          }
          if (orders.length > 0 || (await state.news())) continue;
          // A token expires without an event.
          endIfRefused();
          yield ": still here\n\n";
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
      const listener = worlds.listeners.of(world.id, companyOf(asked));
      return { reported: listener?.about.id === id && listener.report(order, results) };
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

/** Returns the refusal of a second listener, with the place of the first one. */
function isTaken({ host, forward, companyId }: Listener["about"]): Refusal {
  const whose = companyId === null ? "The world" : "This company";
  const description = `${whose} already has a listener: on ${host}, with --forward ${forward}. End that listener, or use another world.`;
  return new Refusal("ILLEGAL_ACT", description, [{ field: "id", issue: "ILLEGAL_ACT", description }]);
}

/** Writes the end of a listener. Empty if another program has replaced it. */
function endedEvent({ ended: message }: ListenerEnd): string {
  return message === undefined ? "" : `event: ended\ndata: ${JSON.stringify({ message })}\n\n`;
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
