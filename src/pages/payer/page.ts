import type { Markup } from "../reference/markup.ts";
import { html } from "hono/html";
import { type Clocked, commonHeaders } from "../../server/answer.ts";
import { LANGUAGES, type PayerLanguage, type Texts } from "./texts.ts";

/** The content of a page. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** Whether a shop may frame it, as is common with a 3-D Secure challenge. */
  readonly isFramed?: boolean;
}

/** The facts that every page has. */
export interface PageView {
  readonly texts: Texts;
  /** The text in the field of an amount, if it was refused. */
  readonly typed?: string | undefined;
  /** The address of the page, or of a place under it such as `/3ds`; it carries world and language. */
  readonly href: (place?: string) => string;
  /** This page in the other languages that it is offered in. */
  readonly otherLanguages: readonly { readonly language: PayerLanguage; readonly href: string }[];
}

/** Only the sandbox's own style sheets, images and script, which copies; forms post only to the sandbox. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors";

interface PageAnswerOptions {
  readonly status?: 200 | 403 | 404 | 409;
  /** The reason why the payer's action failed. `detail` is the sandbox's own sentence, in English. */
  readonly alert?: { readonly sentence: string; readonly detail?: string } | undefined;
}

export async function pageAnswer(
  { now }: Clocked,
  { texts, otherLanguages }: Omit<PageView, "href">,
  { title, body, isFramed = false }: Page,
  { status = 200, alert }: PageAnswerOptions = {},
): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="${texts.tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · sandbank</title>
        <link rel="stylesheet" href="/html/base.css" />
        <link rel="stylesheet" href="/pay/style.css" />
        <script src="/pay/copy.js" defer></script>
        <link rel="icon" href="data:," />
      </head>
      <body>
        <main>
          ${
            alert === undefined
              ? ""
              : html`<section class="card alert" role="alert">
                  <h2>${texts.notDone}</h2>
                  <p>${alert.sentence}</p>
                  ${alert.detail !== undefined && html`<p class="soft" lang="en">${alert.detail}</p>`}
                </section>`
          }
          ${body}
        </main>
        <footer>
          <p>${texts.footer}</p>
          <nav aria-label="${texts.languages}">
            ${otherLanguages.map(({ language, href }) => {
              const { tag, name } = LANGUAGES[language];
              return html`<a href="${href}" lang="${tag}" hreflang="${tag}">${name}</a> `;
            })}
          </nav>
        </footer>
      </body>
    </html>`;
  return new Response(page.toString(), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": texts.tag,
      vary: "accept-language",
      ...commonHeaders({ now }),
      "content-security-policy": `${POLICY} ${isFramed ? "http: https:" : "'none'"}`,
      "x-content-type-options": "nosniff",
      // Without a referrer a browser would not say either that the form of the page is its own.
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    },
  });
}

/** Shows a part of a page under its heading. */
export function card(heading: string, ...content: readonly (Markup | "")[]): Markup {
  return html`<section class="card">
    <h2>${heading}</h2>
    ${content}
  </section>`;
}

/** Names and their values; one without a value is left out. */
export function facts(rows: Readonly<Record<string, Markup | string | number | null | undefined>>): Markup {
  const given = Object.entries(rows).filter(([, value]) => value !== null && value !== undefined);
  return html`<dl>
    ${given.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Returns a page with one sentence, for an object that does not exist. */
export function noticePage(title: string, sentence: string): Page {
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </section>`;
  return { title, body };
}

/** The script that shows the buttons for copying a text, if the browser lets a page copy. */
export const script = `
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.onclick = async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  };
}
`;

/** The styles in addition to the style sheet of all pages. They load no font, image or script. */
export const style = `
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 1rem;
  padding: 2.5rem 1rem 1.5rem; font-size: 16px; line-height: 1.5; }
main { width: 100%; max-width: 28rem; display: flex; flex-direction: column; gap: 1rem; }
.card { display: block; margin: 0; border-radius: 14px; padding: 1.5rem; }
.choices { display: flex; flex-flow: row-reverse wrap; gap: .6rem; } .choices > button { flex: 1 1 auto; }
h1 { font-size: 1rem; margin: 0; font-weight: 600; }
h2 { font-size: .95rem; margin: 0 0 .75rem; font-weight: 600; }
p { margin: .25rem 0; overflow-wrap: anywhere; }
.soft, dt, footer { color: var(--soft); font-size: .875rem; }
footer { margin-top: auto; text-align: center; } footer a { display: inline-block; padding: .35rem .5rem; }
.top { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: .5rem 1rem; }
.top h1 { flex: 1 1 11rem; }
.amount { font-size: clamp(1.4rem, 9vw, 2.25rem); line-height: 1.2; font-weight: 650; letter-spacing: -.02em; margin: .75rem 0 .25rem; }
.alert { border-color: var(--bad); } .alert h2 { color: var(--bad); margin: 0; }
.per { font-size: 1rem; font-weight: 500; letter-spacing: 0; color: var(--soft); white-space: nowrap; }
.amount { overflow-wrap: normal; } .amount.words { font-size: 1.5rem; }
dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: .35rem 1rem; margin: 0; }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
.qr { display: block; width: 15rem; max-width: 100%; margin: 0 auto 1rem; border-radius: 8px; background: #fff;
  image-rendering: pixelated; }
.code { display: block; font: .8rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere;
  user-select: all; padding: .75rem; border-radius: 8px; background: var(--ground); border: 1px solid var(--line); margin: .5rem 0; }
.bars { display: block; width: 100%; height: 4.5rem; background: #fff; padding: .4rem .5rem; border-radius: 8px; }
p + .button, p + form, dl + p { margin-top: .75rem; }
form { display: flex; flex-direction: column; gap: .6rem; } form + form { margin-top: .6rem; }
label { display: flex; flex-direction: column; gap: .25rem; font-size: .875rem; }
input { font: inherit; padding: .6rem .75rem; border-radius: 8px; border: 1px solid var(--line); background: var(--ground);
  color: var(--ink); }
button, .button { font: inherit; font-weight: 600; padding: .7rem 1rem; border-radius: 10px; border: 1px solid var(--line);
  background: transparent; color: var(--ink); text-align: center; display: block; white-space: normal; overflow-wrap: anywhere; }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-height: 30rem) { body { padding-top: .75rem; } main { gap: .6rem; } .card { padding: .9rem 1.25rem; } }
details { margin-top: .75rem; } summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
details form { margin-top: .6rem; }
`;
