import type { HtmlEscapedString } from "hono/utils/html";
import { html } from "hono/html";
import { commonHeaders } from "../answer.ts";

/** A piece of a page; what is put into one is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a page shows. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly status?: 200 | 403 | 404 | 409;
}

/** The world's time for the `Date` header of a page. */
interface Clocked {
  readonly now: number;
}

/** Nothing but the sandbox's own style sheet and images; forms post to the sandbox alone. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'";

/** Answers with a whole page. Shops may frame it: a 3-D Secure challenge is commonly shown in a frame. */
export async function pageAnswer({ now }: Clocked, { title, body, status = 200 }: Page): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · sandbank</title>
        <link rel="stylesheet" href="/pay/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <main>${body}</main>
        <footer>A page of the sandbox: no money moves outside it.</footer>
      </body>
    </html>`;
  return new Response(page.toString(), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      ...commonHeaders({ now }),
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
  });
}

/** A page with one sentence, for what cannot be shown or done. */
export function noticePage({ title, sentence, status }: Notice): Page {
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </section>`;
  return { title, body, status };
}

interface Notice {
  readonly title: string;
  readonly sentence: string;
  readonly status: 403 | 404 | 409;
}
