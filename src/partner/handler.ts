import { isRecord } from "../simulator/engine/json.ts";
import { type Wall, within } from "../base/wall.ts";

/** A function of this process that answers like a server, such as `app.fetch` of a framework. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** The answer of a handler, or the reason why it is missing. */
export type Handled =
  | { readonly status: number; readonly headers: Record<string, string>; readonly body: string }
  | { readonly error: "timeout" | "reset" };

/** Calls a handler. If it throws, the answer is 500 with the place of the error, as a server gives it. */
export async function handled(
  handle: Handler,
  request: Request,
  { deadlineMs, wall }: { readonly deadlineMs: number; readonly wall: Wall },
): Promise<Handled> {
  return within<Handled, Handled>(() => answered(handle, request), {
    ms: deadlineMs,
    late: { error: "timeout" },
    wall,
  });
}

async function answered(handle: Handler, request: Request): Promise<Handled> {
  try {
    const response = responseOf(await handle(request));
    if (response.type === "error") return { error: "reset" };
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    const place = placeIn(stack);
    const where = place === undefined ? "" : ` (${place})`;
    return { status: 500, headers: {}, body: String(error) + where };
  }
}

/**
 * Returns the file, line and column of the first frame of a stack. Undefined without such a frame. The query that a test
 * runner appends to a file is left out.
 */
export function placeIn(stack: string): string | undefined {
  const frame = stack.split("\n").find((line, index) => index > 0 && /^\s+at .*:\d/.test(line));
  const [place = ""] = frame?.split(/[/\\(]/).slice(-1) ?? [];
  const [, file, position] = /^([^:?]*)(?:\?[^:]*)?(:\d+:\d+)/.exec(place) ?? [];
  return position && `${file}${position}`;
}

/** Checks that a handler returned a `Response`. */
export function responseOf(returned: unknown): Response {
  if (isRecord(returned) && typeof returned["text"] === "function") return returned as unknown as Response;
  const mistake = new TypeError(`the handler returned ${typeof returned} in place of a Response`);
  // It is not the place of the mistake.
  mistake.stack = "";
  throw mistake;
}
