/** The encoding of spans over HTTP. */
export type TelemetryProtocol = "http/protobuf" | "http/json";

const PROTOCOLS: readonly string[] = ["http/protobuf", "http/json"] satisfies TelemetryProtocol[];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the standard variables of OpenTelemetry. Undefined if no collector is named, or if OpenTelemetry is switched
 * off. `mistake` is a sentence about a wrong value.
 */
export function readTelemetry(
  variables: Variables,
): { readonly protocol: TelemetryProtocol } | { readonly mistake: string } | undefined {
  const endpoint = given(variables, "ENDPOINT");
  if (endpoint === undefined || variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  const { name, value } = endpoint;
  if (!/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
    return { mistake: `${name} is "${value}", which is not a URL. Write one such as http://127.0.0.1:4318.` };
  const protocol = given(variables, "PROTOCOL");
  if (protocol !== undefined && !PROTOCOLS.includes(protocol.value))
    return {
      mistake: `${protocol.name} is "${protocol.value}". Spans are sent by ${PROTOCOLS.join(" or ")}: set one of them, and the port of your collector for HTTP (usually 4318).`,
    };
  return { protocol: (protocol?.value ?? "http/protobuf") as TelemetryProtocol };
}

/** Returns a variable for traces, or else for all signals. An empty variable counts as not set. */
function given(
  variables: Variables,
  what: string,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of [`OTEL_EXPORTER_OTLP_TRACES_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
    const value = variables[name]?.trim() ?? "";
    if (value !== "") return { name, value };
  }
  return undefined;
}
