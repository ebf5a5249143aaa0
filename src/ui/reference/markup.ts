import type { HtmlEscapedString } from "hono/utils/html";

/** A piece of the page; what is put into one is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;
