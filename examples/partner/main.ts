import { createServer } from "node:http";
import { BankingService } from "./banking-service.ts";
import { Gym } from "./gym.ts";
import { receiver } from "./receiver.ts";

/**
 * Starts the gym: webhooks at /webhooks, its state at /books. POST /join signs a member up, POST /charge charges a
 * month, and POST /reset empties the books, for tests.
 */
const {
  BANK_URL = "http://127.0.0.1:4010",
  PORT = "4020",
  WEBHOOK_SECRET = "acme-webhook-secret",
} = process.env;
const { BANK_TOKEN = "acme-token", BANK_ACCOUNT = "11111111-1111-4111-8111-111111111111" } = process.env;

function openGym(): Gym {
  return new Gym({
    bank: new BankingService({ baseUrl: BANK_URL, token: BANK_TOKEN }),
    accountId: BANK_ACCOUNT,
    webhookUrl: `http://127.0.0.1:${PORT}/webhooks`,
  });
}
let gym = openGym();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://gym");
  if (pathname === "/webhooks") return receiver(gym, WEBHOOK_SECRET)(request, response);
  if (pathname === "/books") return void response.end(JSON.stringify(gym.books, null, 2));
  answer(request.method === "POST" ? pathname : "", searchParams).then(
    (body) => response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body)),
    (error: Error) => response.writeHead(502).end(error.message),
  );
});

/** What a request of the gym's own people comes to; undefined where there is no such path. */
async function answer(path: string, fields: URLSearchParams): Promise<object | undefined> {
  const field = (name: string): string => fields.get(name) ?? "";
  switch (path) {
    case "/join": {
      const document = { type: "CPF", number: field("cpf") } as const;
      return gym.join({ name: "Maria da Silva", document }, field("from"));
    }
    case "/charge":
      return { id: await gym.charge(field("subscription"), field("month"), field("due")) };
    case "/reset":
      gym = openGym();
      return {};
  }
  return undefined;
}

server.listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the gym listens on http://127.0.0.1:${PORT}\n`);
});
process.once("SIGTERM", () => server.close());
