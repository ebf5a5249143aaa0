import { type Browser, chromium } from "playwright-core";
import { createSandbox, explore, type Sandbox } from "../src/index.ts";
import { exploreReports } from "../src/checks/explore/report.ts";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { once } from "node:events";

/**
 * Draws the pictures of the README to `docs/pictures`: `SANDBANK_BROWSER=/usr/bin/chromium npm run pictures`. They show
 * the pages as they are now. The ids and the times of the world are the same each time.
 */
const SIZE = { width: 1120, height: 720 };

const RECEIVER = "http://127.0.0.1:4011/webhooks";

const ACCOUNT = "11111111-1111-4111-8111-111111111111";

/** Fills a world as a morning of a gym and a shop would: some things are paid, some wait, and some failed. */
async function fill(sandbox: Sandbox): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  }).listen(4011, "127.0.0.1");
  await once(receiver, "listening");
  receiver.unref();
  await sandbox.sendWebhooksTo(RECEIVER);
  const subscribe = (externalId: string) =>
    sandbox.call("createSubscription", {
      accountId: ACCOUNT,
      type: "AUTHORIZATION_QRCODE",
      externalId,
      webhookUrl: RECEIVER,
      frequencyType: "MONTHLY",
      startDate: "2026-11-20",
      debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
    });
  const { id } = await subscribe("gym-1");
  await sandbox.act("subscription.accept", { id });
  await subscribe("gym-2");
  const pay = (externalId: string, pixKey: string, value: string) =>
    sandbox.call("createPayout", {
      externalId,
      accountId: ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey },
      amount: { currency: "BRL", value },
      description: "Cleaning of November",
    });
  await pay("cleaning-11", "ok@pix.example", "480.00");
  await sandbox.advance("PT1M");
  await sandbox.fault({ on: "webhook", effect: "duplicate", times: 1 });
  await pay("courier-7", "error@pix.example", "60.00");
  await sandbox.advance("PT30S");
  await sandbox.call("createScheduledPayment", {
    id,
    externalId: "gym-1-12",
    dueDate: "2026-11-25",
    amount: { currency: "BRL", value: "59.90" },
  });
}

/** Explores a gym that stores the last webhook of each object, also if it is an older one. */
async function exploreGym(): Promise<string> {
  const objects = new Map<string, unknown>();
  const result = await explore({
    scenario: {
      name: "A month of a member",
      start: "2026-11-20T09:00:00-03:00",
      steps: [
        {
          call: "createSubscription",
          body: { $use: "subscription.monthly", externalId: "gym-${run}" },
          save: "sub",
        },
        { act: "subscription.accept", on: "${sub.id}" },
        {
          call: "createScheduledPayment",
          path: { id: "${sub.id}" },
          body: { $use: "charge.first", externalId: "charge-${run}" },
        },
        { advance: "P6D" },
      ],
    },
    receiver: async (request) => {
      const event = (await request.json()) as {
        readonly id?: string;
        readonly status?: string;
        readonly data?: { readonly id: string; readonly status: string };
      };
      const { id, status } = event.data ?? event;
      if (id !== undefined) objects.set(id, status);
      return new Response(null, { status: 204 });
    },
    probe: () => Object.fromEntries(objects),
    reset: () => objects.clear(),
    beyondRetries: true,
  });
  return exploreReports.html([result]);
}

async function draw(
  browser: Browser,
  name: string,
  open: (page: Awaited<ReturnType<Browser["newPage"]>>) => Promise<unknown>,
): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
  await open(page);
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/pictures/${name}.png`, import.meta.url)) });
}

const browser = await chromium.launch({
  executablePath: process.env["SANDBANK_BROWSER"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
await fill(sandbox);
const { url } = await sandbox.listen();
await draw(browser, "dashboard", async (page) => {
  await page.goto(`${url}/#/overview`);
  await page.getByRole("region", { name: "Last webhooks" }).getByRole("row").nth(1).waitFor();
});
const report = await exploreGym();
await draw(browser, "explore", (page) => page.setContent(report));
await browser.close();
