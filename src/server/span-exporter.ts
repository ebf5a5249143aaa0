import type { Log } from "../base/log.ts";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { TelemetryProtocol } from "./telemetry-setting.ts";

/** Sends spans to the collector that the OTEL variables name. A failure is logged once, until spans arrive again. */
export function exporterOf(protocol: TelemetryProtocol, log: Log): SpanExporter {
  const exporter: SpanExporter = protocol === "http/json" ? new JsonExporter() : new ProtobufExporter();
  let isFailing = false;
  const noted = (error: Error | undefined): void => {
    if (error !== undefined && !isFailing)
      log.warn(
        {},
        `Failed to send spans: ${error.message}. Start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT.`,
      );
    isFailing = error !== undefined;
  };
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        noted(result.error ?? (isSent(result) ? undefined : new Error("no reason was given")));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** The code of success is 0 in the packages of OpenTelemetry. */
function isSent({ code }: { readonly code: number }): boolean {
  return code === 0;
}
