import type { World } from "./endpoint.ts";
import type { DroppedSettings } from "../../simulator/api/generated/shapes.ts";
import { acts } from "../../simulator/platform/catalog.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { isDeepStrictEqual } from "node:util";
import { readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import { settingsOf } from "../../simulator/platform/world-settings.ts";

/** The settings that apply to a world: its own, and the webhook URLs of its companies. */
export function settingsIn({ records }: World) {
  const urls = Array.from(records.all(companies), ({ id, webhook }) => [id, webhook.url] as const);
  return { ...settingsOf(records), webhookUrls: Object.fromEntries(urls) };
}

type Settings = ReturnType<typeof settingsIn>;

/** Returns the settings that a reset dropped, with their values before. */
export function droppedSettings(before: Settings, after: Settings): DroppedSettings {
  const assumptions = changed(before.assumptions, after.assumptions);
  const webhookUrls = changed(before.webhookUrls, after.webhookUrls);
  return {
    ...(Object.keys(assumptions).length > 0 && { assumptions }),
    ...(before.webhookUrl !== after.webhookUrl && { webhookUrl: before.webhookUrl }),
    ...(Object.keys(webhookUrls).length > 0 && { webhookUrls }),
  } as DroppedSettings;
}

function changed(before: object, after: object): Record<string, unknown> {
  const others = after as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, others[name])),
  );
}

/** Applies the settings again that a reset dropped. */
export function keepSettings(world: World, { webhookUrls = {}, ...dropped }: DroppedSettings): void {
  const assumptions = dropped.assumptions && readAssumptions(dropped.assumptions).values;
  if (Object.keys(dropped).length > 0)
    world.changeSettings({ ...dropped, ...(assumptions && { assumptions }) });
  for (const [company, url] of Object.entries(webhookUrls)) {
    const name = "webhook.set-url";
    world.execute({ by: "act", name }, (tx) => acts.get(name)?.run(tx, company, { url }));
  }
}
