import { accessibilityViolations, overflowOf, testBrowser } from "../../../pages/browser.ts";
import { ask, serve } from "../servers.ts";
import { expect, onTestFinished, test } from "vitest";
import { usePostgres } from "../use-postgres.ts";

const postgres = usePostgres();
const openPage = testBrowser();

test("the dashboard of any server shows the servers, which of them has a world, and which worlds are asleep", async () => {
  const options = { dataSchema: "shown", lease: "PT2S", worldSleep: "PT1S" };
  const urls = [
    await serve(postgres, options, onTestFinished),
    await serve(postgres, options, onTestFinished),
  ];
  await ask(urls[1]!, "POST", "/sandbox/worlds", { token: null, body: { name: "sleepy", mode: "frozen" } });
  const { body } = await ask(urls[1]!, "GET", "/sandbox/servers", { token: null });
  const ids = (body["data"] as { id: string }[]).map(({ id }) => id);
  await expect
    .poll(async () => JSON.stringify((await ask(urls[1]!, "GET", "/sandbox/worlds", { token: null })).body))
    .toContain('"state":"asleep"');
  await using opened = await openPage();
  const { page, errors } = opened;
  await page.goto(`${urls[1]}/#/world`);
  await page.getByRole("heading", { name: "Servers" }).waitFor();
  const servers = page.locator("section", { has: page.getByRole("heading", { name: "Servers" }) });
  for (const text of [...ids, ...urls]) await servers.getByText(text, { exact: true }).waitFor();
  const worlds = page.locator("section", { has: page.getByRole("heading", { name: "Worlds" }) });
  const sleepy = worlds.getByRole("row", { name: /sleepy/ });
  expect(await sleepy.textContent()).toContain("asleep");
  expect(await worlds.getByRole("row", { name: /default/ }).textContent()).toContain(ids[1]);
  await sleepy.getByRole("button", { name: "Show" }).click();
  await page.getByRole("heading", { name: "World sleepy" }).waitFor();
  expect(await worlds.getByRole("row", { name: /sleepy/ }).textContent()).toContain(ids[1]);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  expect(errors).toEqual([]);
});
