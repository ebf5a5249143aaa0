import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type SpanContext,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import type { LoggedListener } from "./environment.ts";
import type { Journal, JournalEntry } from "../simulator/engine/journal.ts";
import type { Log } from "../base/log.ts";
import type { AttemptResult, WebhookRequest } from "../simulator/webhooks/attempt.ts";
import type { Transport } from "../simulator/webhooks/transport.ts";
import type { TelemetryProtocol } from "./telemetry-setting.ts";
import { FIRST_INPUT } from "../simulator/worlds/inbound-request.ts";
import type { WorldOptions } from "../simulator/worlds/world-options.ts";
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { exporterOf } from "./span-exporter.ts";
import { formatInstant } from "../simulator/engine/instant.ts";
import { readTraceparent, TRACEPARENT } from "../simulator/webhooks/trace.ts";
import { setTimeout as pause } from "node:timers/promises";

/** The maximum time for the last spans at the end, in milliseconds. A server has five seconds to stop. */
const CLOSE_MS = 2_000;

/** The spans that wait for the exporter. A long advance makes many at once; further spans are dropped. */
const WAITING_MAX = 20_000;

/** The wall time between two exports. */
const EXPORT_EVERY_MS = 1_000;

interface Named {
  readonly name: string;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
}

/**
 * Sends calls, webhooks with their retries, and timers as spans to a collector (OpenTelemetry). The span is wall time;
 * the time of the world is an attribute. A call with `traceparent` is a part of its trace, and what follows from the
 * call too.
 */
export class Telemetry {
  readonly #random = new RandomIdGenerator();
  /** The ids of the next span. They are chosen before it, because other spans begin first. */
  #next: SpanContext | undefined;
  readonly #provider: TracerProvider;
  readonly #tracer: ReturnType<TracerProvider["getTracer"]>;
  /** The span that each entry of a journal belongs to, and each input of a request. */
  readonly #ofEntries = new WeakMap<JournalEntry, SpanContext>();
  readonly #ofInputs = new WeakMap<object, Named>();

  constructor(protocol: TelemetryProtocol, log: Log) {
    const exporter = exporterOf(protocol, log);
    const own = resourceFromAttributes({ "service.name": "sandbank" });
    this.#provider = new TracerProvider({
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      resource: own.merge(detectResources({ detectors: [envDetector] })),
      idGenerator: {
        generateTraceId: () => this.#next?.traceId ?? this.#random.generateTraceId(),
        generateSpanId: () => this.#next?.spanId ?? this.#random.generateSpanId(),
      },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: WAITING_MAX,
          scheduledDelayMillis: EXPORT_EVERY_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer("sandbank");
  }

  /** Sees each journal entry: finds its span, and sends the span of a timer. */
  readonly entered: NonNullable<WorldOptions["audit"]> = ({ journal }, entry, world) => {
    const { cause, at } = entry;
    const { input } = cause;
    const isRequest = input?.kind === "request" || input?.kind === "continued";
    const around = isRequest ? this.#ofRequest(input, `${cause.by} ${cause.name}`) : undefined;
    const parent = around?.context ?? this.#contextOf(journal, cause.entry);
    if (cause.by !== "timer") {
      if (parent !== undefined) this.#ofEntries.set(entry, parent);
      return;
    }
    const context = this.#newContext(parent);
    this.#ofEntries.set(entry, context);
    const object = entry.timeline.find(({ objectId }) => objectId !== null)?.objectId;
    const now = Date.now();
    this.#send({ name: `timer ${cause.name}`, context, parent }, SpanKind.INTERNAL, [now, now], {
      "sandbank.world": world,
      "sandbank.time": formatInstant(at),
      "sandbank.entry": entry.number,
      ...(object && { "sandbank.object": object }),
    });
  };

  /** Sends the span of an answered request: a call of the platform, or a request that changed a world. */
  readonly answered: LoggedListener = ({ inbound, operation, world, status, durationMs }) => {
    if (operation === undefined && !inbound.isJournaled) return;
    const { method, path } = inbound.head;
    const place = path.replace(/\?.*/s, "");
    const input = inbound.inputFor(world.simulation.records);
    const named = this.#ofRequest(input, `${method} ${place.split("/").slice(0, 3).join("/")}`);
    const name = operation === undefined ? named.name : `call ${operation}`;
    const end = Date.now();
    const isFailed = status === null || status >= 500;
    this.#send(
      { ...named, name },
      SpanKind.SERVER,
      [end - durationMs, end],
      {
        "http.request.method": method,
        "url.path": place,
        ...(status !== null && { "http.response.status_code": status }),
        "sandbank.world": world.id,
        "sandbank.time": formatInstant(world.simulation.now),
        "sandbank.request": inbound.id,
        ...(input.company !== null && { "sandbank.company": input.company }),
        ...(inbound.injected.length > 0 && { "sandbank.faults": [...inbound.injected] }),
      },
      isFailed ? "the request failed" : undefined,
    );
  };

  /** Returns a transport that sends the span of each attempt. */
  tracing(transport: Transport): Transport {
    return async (requests) => {
      const began = Date.now();
      const results = await transport(requests);
      for (const [index, result] of results.entries()) {
        const request = requests[index];
        if (request?.about !== undefined) this.#attempted(request, request.about, { began, result });
      }
      return results;
    };
  }

  /** Sends the spans that are left. A collector that is gone or hangs delays it by at most `CLOSE_MS`. */
  async close(): Promise<void> {
    const end = new AbortController();
    // The exporter has logged the failure.
    const sent = this.#provider.shutdown().catch(() => undefined);
    const timeUp = pause(CLOSE_MS, undefined, { signal: end.signal }).catch(() => undefined);
    await Promise.race([sent, timeUp]);
    end.abort();
  }

  #attempted(
    { url, world, headers }: WebhookRequest,
    about: NonNullable<WebhookRequest["about"]>,
    { began, result }: { readonly began: number; readonly result: AttemptResult },
  ): void {
    const { event, announcement, number, delivery, companyId, at } = about;
    const parent = announcement && this.#spanOf(announcement);
    // The webhook names its span in its header.
    const sent = readTraceparent(headers[TRACEPARENT]);
    const context = {
      ...this.#newContext(parent),
      ...(sent && { spanId: sent.spanId, traceId: sent.traceId }),
    };
    const { status, error, message } = result;
    const name = number === 1 ? `webhook ${event}` : `webhook retry ${event}`;
    this.#send(
      { name, context, parent },
      SpanKind.CLIENT,
      [began, Date.now()],
      {
        "http.request.method": "POST",
        "url.full": url,
        ...(status !== null && { "http.response.status_code": status }),
        ...(error !== null && { "error.type": error }),
        "sandbank.world": world ?? "",
        "sandbank.time": formatInstant(at),
        "sandbank.event": event,
        "sandbank.delivery": delivery,
        "sandbank.attempt": number,
        "sandbank.company": companyId,
      },
      error === null ? undefined : message,
    );
  }

  /** Returns the span of a request, which is made at the first use. */
  #ofRequest(input: object & { readonly traceparent?: string }, name: string): Named {
    const source = (input as { readonly [FIRST_INPUT]?: object })[FIRST_INPUT] ?? input;
    const known = this.#ofInputs.get(source);
    if (known !== undefined) return known;
    const given = readTraceparent(input.traceparent);
    const parent = given && remote(given);
    const named = { name, context: this.#newContext(parent), parent };
    this.#ofInputs.set(source, named);
    return named;
  }

  #contextOf(journal: Pick<Journal, "entry">, number: number | undefined): SpanContext | undefined {
    const entry = number === undefined ? undefined : journal.entry(number);
    return entry && this.#spanOf(entry);
  }

  /** Returns the span of an entry. An entry from before the start of this process has only the trace of its request. */
  #spanOf(entry: JournalEntry): SpanContext | undefined {
    const given = readTraceparent(entry.cause.input?.traceparent);
    return this.#ofEntries.get(entry) ?? (given && remote(given));
  }

  #newContext(parent: SpanContext | undefined): SpanContext {
    return {
      traceId: parent?.traceId ?? this.#random.generateTraceId(),
      spanId: this.#random.generateSpanId(),
      traceFlags: parent?.traceFlags ?? TraceFlags.SAMPLED,
    };
  }

  #send(
    { name, context, parent }: Named,
    kind: SpanKind,
    [startTime, endTime]: readonly [number, number],
    attributes: Attributes,
    failure?: string,
  ): void {
    this.#next = context;
    const around = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = this.#tracer.startSpan(name, { kind, startTime, attributes }, around);
    this.#next = undefined;
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end(endTime);
  }
}

function remote({ traceId, spanId, flags }: { traceId: string; spanId: string; flags: string }): SpanContext {
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}
