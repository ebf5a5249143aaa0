import type { MiddlewareHandler } from "hono";
import { isReadable, JsonIndenter } from "../control/readable.ts";
import { replaceAnswer } from "./answer.ts";

/** Indents JSON answers that a person reads. The journal and the request log keep them as they were. */
export function readableAnswers(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { body, status, headers } = c.res;
    if (body === null || headers.get("content-type") !== "application/json") return;
    if (!isReadable(c.req.url, c.req.raw.headers)) return;
    const indenter = new JsonIndenter();
    const write = (text: string): Buffer => Buffer.from(indenter.indent(text), "latin1");
    // Byte by byte: a piece may end in the middle of a character.
    const indented = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => controller.enqueue(write(Buffer.from(piece).toString("latin1"))),
      flush: (controller) => controller.enqueue(Buffer.from("\n")),
    });
    replaceAnswer(c, new Response(body.pipeThrough(indented), { status, headers }));
  };
}
