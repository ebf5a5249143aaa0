import { namedOf, type ServerEnv } from "../server/environment.ts";
import type { Endpoints } from "../server/control/endpoint.ts";
import { compress } from "hono/compress";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { listAssumptions } from "../simulator/platform/assumptions/listing.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds/worlds.ts";
import { LongWork } from "../base/long-work.ts";
import { localDate } from "../simulator/countries/brazil/calendar.ts";
import { type SettingRow, ownObjects } from "./reference/setting.ts";
import { compileChecks } from "../server/interface/description.ts";
import { pageAnswer, pageFiles } from "./page-files.ts";

/** The token of the first company of the shipped fixtures, without the suffix of its world. */
const TOKEN = "acme-token";

const files = pageFiles(new URL("./reference/page/", import.meta.url));

interface ReferenceOptions {
  /** Whether `/sandbox` needs no admin token: the page then names objects of the sandbox. */
  readonly isOpen: boolean;
  /** The sandbox's own API. */
  readonly endpoints: Endpoints;
}

/**
 * Mounts the reference page at `/docs`, made from the two OpenAPI documents, with its files and samples below. The
 * query `world` names the world whose token and objects the commands use.
 */
export function mountReferencePage(app: Hono<ServerEnv>, worlds: Worlds, options: ReferenceOptions): void {
  const last: { key: string; text: string } = { key: "", text: "" };
  const showPage = async (c: Context): Promise<Response> => {
    const setting = settingOf(worlds, c, options);
    if (setting === undefined) return endedWorldAnswer(worlds, c);
    const key = JSON.stringify(setting);
    if (key !== last.key) Object.assign(last, { key, text: await pageText(setting, options) });
    return pageAnswer(last.text, { now: worlds.now });
  };
  // The page has more than a megabyte.
  const gzip = compress({ encoding: "gzip" });
  app.get("/docs", gzip, showPage);
  app.get("/docs/", gzip, showPage);
  app.get("/docs/samples/:language", gzip, async (c, next) => {
    const { openApi } = await import("./reference/document.ts");
    const { samplesIn } = await import("./reference/commands-view.ts");
    const { LANGUAGES } = await import("./reference/languages.ts");
    const language = c.req.param("language");
    const setting = settingOf(worlds, c, options);
    if (!Object.hasOwn(LANGUAGES, language) || setting === undefined) return next();
    openApi(options.endpoints);
    const samples = await samplesIn(language as keyof typeof LANGUAGES, setting);
    return pageAnswer(JSON.stringify(samples), { type: "application/json", now: worlds.now });
  });
  app.get("/docs/:file", (c, next) => files(c.req.param("file"), worlds.now) ?? next());
}

/** Writes the page, in turns. Its modules are loaded at the first request for it. */
async function pageText(setting: SettingRow, { endpoints }: ReferenceOptions): Promise<string> {
  await compileChecks();
  const { openApi } = await import("./reference/document.ts");
  const { pageView } = await import("./reference/page-view.ts");
  const work = new LongWork();
  openApi(endpoints);
  if (work.isDue) await work.nextTurn();
  return (await pageView(setting)).toString();
}

/** Returns the facts about the world that the query names. Undefined if that world does not exist. */
function settingOf(worlds: Worlds, c: Context, { isOpen }: ReferenceOptions): SettingRow | undefined {
  const named = worldOf(c);
  const world = worlds.here(named);
  if (world === undefined && named !== DEFAULT_WORLD) return undefined;
  const suffix = world?.credentialSuffix ?? "";
  const token = TOKEN + suffix;
  return {
    origin: new URL(namedOf(c).inbound.head.origin).origin,
    token,
    suffix,
    dashboard: named === DEFAULT_WORLD ? "/" : `/?world=${encodeURIComponent(named)}`,
    today: localDate(world?.now ?? worlds.now),
    isOpen,
    objects: isOpen && world !== undefined ? ownObjects(world, token) : {},
    assumptions: listAssumptions((world?.settings ?? worlds.defaults).assumptions),
  };
}

function worldOf(c: Context): string {
  return c.req.query("world")?.trim() || DEFAULT_WORLD;
}

async function endedWorldAnswer(worlds: Worlds, c: Context): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>The world has ended · sandbank</title>
        <link rel="stylesheet" href="/html/base.css" />
      </head>
      <body class="report">
        <main>
          <h1>The world ${worldOf(c)} has ended, or never existed</h1>
          <p><a href="/docs">Open the reference of the default world</a></p>
        </main>
      </body>
    </html>`;
  return pageAnswer(page.toString(), { now: worlds.now, status: 404 });
}
