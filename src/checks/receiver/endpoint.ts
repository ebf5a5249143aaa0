import {
  type AttemptResult,
  type WebhookRequest,
  webhookSender,
} from "../../server/access/webhook-sending.ts";
import { type Handler, handled } from "../../partner/handler.ts";
import { handlerTransport } from "../../partner/handler-transport.ts";
import { readProbe, stateOf } from "../../partner/partner-state.ts";
import { sendRequest } from "../../partner/partner-request.ts";
import { abortedAfter, type Wall } from "../../base/wall.ts";

/** The receiver that is checked, as far as it is reached from here. Sending never rejects. */
export interface ReceiverEndpoint {
  readonly post: (request: WebhookRequest) => Promise<AttemptResult>;
  /** Sends requests whose last byte leaves at the same moment. */
  readonly together: (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;
  /** Returns the status of a request without a body. Null if no answer came. */
  readonly statusOf: (method: string) => Promise<number | null>;
  /** Reads the state. Rejects with a `CommandFailure`. Absent if nothing shows it. */
  readonly read?: () => Promise<unknown>;
}

/** Makes the endpoint for a receiver and a probe at URLs. */
export function networkEndpoint({
  url,
  probe,
  timeoutMs,
  wall,
}: {
  readonly url: string;
  readonly probe?: string | undefined;
  readonly timeoutMs: number;
  readonly wall: Wall;
}): ReceiverEndpoint {
  const sender = webhookSender();
  const open = <Result>(send: (signal: AbortSignal) => Promise<Result>, ms: number): Promise<Result> =>
    abortedAfter(send, { ms, wall });
  return {
    post: (request) => open((signal) => sender.post({ ...request, signal }), request.deadlineMs),
    together: (requests) =>
      open(
        (signal) => sender.together(requests.map((request) => ({ ...request, signal }))),
        Math.max(...requests.map(({ deadlineMs }) => deadlineMs)),
      ),
    statusOf: async (method) => (await sendRequest({ method, url, timeoutMs, wall })).status,
    ...(probe !== undefined && { read: () => readProbe(probe, wall) }),
  };
}

/** A receiver of this process, with a function that shows its state. */
export interface EndpointHere {
  readonly receive: Handler;
  readonly probe?: () => unknown;
}

/** Makes the endpoint for a receiver and a probe of this process. */
export function endpointHere(
  { receive, probe }: EndpointHere,
  { url, timeoutMs, wall }: Parameters<typeof networkEndpoint>[0],
): ReceiverEndpoint {
  const deliver = handlerTransport(receive, wall);
  const post = async (request: WebhookRequest): Promise<AttemptResult> => {
    const { manner } = request;
    if (manner?.kind === "slow-body" && "pieces" in manner)
      await wall.pause((manner.pieces ?? 1) * (manner.pauseMs ?? 0));
    const began = wall.now();
    const [result] = await deliver([request]);
    return { ...(result as AttemptResult), durationMs: Math.round(wall.now() - began) };
  };
  return {
    post,
    together: (requests) => Promise.all(requests.map(post)),
    statusOf: async (method) => {
      const answer = await handled(receive, new Request(url, { method }), { deadlineMs: timeoutMs, wall });
      return "error" in answer ? null : answer.status;
    },
    ...(probe && { read: () => stateOf(probe, wall) }),
  };
}
