import http, { type ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";

const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/**
 * Replaces the HTTP client of Node as tracers do: it copies the headers of each request into an object and adds
 * `traceparent`. `change` can change the copy further. The client is back when the result is disposed.
 */
export function traced(change: (headers: Record<string, unknown>) => void = () => {}): Disposable {
  const { request } = http;
  const replaced = (options: object, ...rest: unknown[]): ClientRequest => {
    const given = rest.find((one) => typeof one === "object") ?? options;
    const copy: Record<string, unknown> = {
      ...(given as { readonly headers?: object }).headers,
      traceparent: TRACEPARENT,
    };
    change(copy);
    const all =
      given === options ? [{ ...options, headers: copy }, ...rest] : [options, { ...given, headers: copy }];
    return Reflect.apply(request, http, all) as ClientRequest;
  };
  http.request = replaced as typeof request;
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      http.request = request;
      syncBuiltinESMExports();
    },
  };
}
