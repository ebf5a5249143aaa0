import { createServer } from "node:http";
import { BankingError, BankingService, OutcomeUnknown } from "./banking-service.ts";
import { Gym } from "./gym.ts";
import { receiver } from "./receiver.ts";
import { Store } from "./store.ts";

/**
 * Starts the gym: webhooks at /webhooks, its state at /books. POST /join signs a member up. /charge charges a month.
 * /sell sells a day pass. /refund gives money back. /pay pays a trainer. /catch-up sends unanswered calls again.
 * /reset empties the books, for tests. The gym stores its state in DATA_FILE, or only in memory. For a
 * sandbox in a container, HOST is 0.0.0.0, and WEBHOOK_URL is the address of the gym there.
 */
const {
  HOST = "127.0.0.1",
  PORT = "4020",
  WEBHOOK_URL = `http://127.0.0.1:${PORT}/webhooks`,
  SANDBANK_URL = "http://127.0.0.1:4010",
  BANK_URL = SANDBANK_URL,
  WEBHOOK_SECRET = "acme-webhook-secret",
  DATA_FILE,
} = process.env;
const { BANK_CLIENT = "acme", BANK_SECRET = "acme-secret" } = process.env;
const { BANK_ACCOUNT = "11111111-1111-4111-8111-111111111111" } = process.env;

const store = new Store(DATA_FILE);
const openGym = (): Gym =>
  new Gym({
    bank: new BankingService({ baseUrl: BANK_URL, client: { id: BANK_CLIENT, secret: BANK_SECRET } }),
    accountId: BANK_ACCOUNT,
    webhookUrl: WEBHOOK_URL,
    store,
  });
let gym = openGym();
const MARIA = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } } as const;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://gym");
  if (pathname === "/webhooks") return receiver(gym, WEBHOOK_SECRET)(request, response);
  if (pathname === "/books") return void response.end(JSON.stringify(gym.books, null, 2));
  answer(request.method === "POST" ? pathname : "", searchParams).then(
    (body) => response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body)),
    (error: Error) => {
      if (error instanceof OutcomeUnknown) response.setHeader("retry-after", error.retryAfterSeconds);
      // A refusal is final. All other requests can be repeated, and are done only once.
      response.writeHead(error instanceof BankingError ? 422 : 503).end(error.message);
    },
  );
});

/** Answers a request of the gym's staff. Undefined if the path is unknown. */
async function answer(path: string, fields: URLSearchParams): Promise<object | undefined> {
  const field = (name: string): string => fields.get(name) ?? "";
  switch (path) {
    case "/join": {
      const document = { type: "CPF", number: field("cpf") } as const;
      return gym.join({ name: MARIA.name, document }, field("from"));
    }
    case "/charge":
      return { id: await gym.charge(field("subscription"), field("month"), field("due")) };
    case "/sell":
      return gym.sell(field("pass"), field("amount"), MARIA);
    case "/refund":
      return { id: await gym.refund(field("pass"), field("amount")) };
    case "/pay":
      return { id: await gym.pay(field("invoice"), field("amount"), field("key")) };
    case "/catch-up":
      await gym.catchUp();
      return {};
    case "/reset":
      store.clear();
      gym = openGym();
      return {};
  }
  return undefined;
}

server.listen(Number(PORT), HOST, () => {
  process.stdout.write(`the gym listens on http://${HOST}:${PORT}\n`);
});
process.once("SIGTERM", () => server.close());
