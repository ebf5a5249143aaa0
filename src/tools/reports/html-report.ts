import type { ComponentChildren } from "preact";
import { html } from "../../html/preact.js";
import { readFileSync } from "node:fs";
import { renderToString } from "preact-render-to-string";

interface Report {
  readonly title: string;
  readonly content: ComponentChildren;
  /** The language of the page; default: en. */
  readonly lang?: string;
}

/** A report as one HTML file without outside references and without scripts. */
export function htmlReport({ title, content, lang = "en" }: Report): string {
  const style = readFileSync(new URL("../../html/base.css", import.meta.url), "utf8");
  const page = html`<html lang=${lang}>
    <head>
      <meta charset="utf-8" />
      <meta
        http-equiv="content-security-policy"
        content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style dangerouslySetInnerHTML=${{ __html: style }} />
    </head>
    <body class="report">
      <main>${content}</main>
    </body>
  </html>`;
  return `<!doctype html>\n${renderToString(page)}\n`;
}
