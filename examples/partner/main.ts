import { createServer } from "node:http";
import { BankingService } from "./banking-service.ts";
import { Gym } from "./gym.ts";
import { receiver } from "./receiver.ts";

/** Starts the gym: webhooks at /webhooks, its state at /books; every POST /join signs a member up. */
const {
  BANK_URL = "http://127.0.0.1:4010",
  PORT = "4020",
  WEBHOOK_SECRET = "acme-webhook-secret",
} = process.env;
const { BANK_TOKEN = "acme-token", BANK_ACCOUNT = "11111111-1111-4111-8111-111111111111" } = process.env;

const gym = new Gym({
  bank: new BankingService({ baseUrl: BANK_URL, token: BANK_TOKEN }),
  accountId: BANK_ACCOUNT,
  webhookUrl: `http://127.0.0.1:${PORT}/webhooks`,
});
const webhooks = receiver(gym, WEBHOOK_SECRET);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://gym");
  if (pathname === "/webhooks") return webhooks(request, response);
  if (pathname === "/books") return void response.end(JSON.stringify(gym.books, null, 2));
  if (pathname !== "/join" || request.method !== "POST") return void response.writeHead(404).end();
  const [cpf, from] = [searchParams.get("cpf") ?? "", searchParams.get("from") ?? ""];
  gym.join({ name: "Maria da Silva", document: { type: "CPF", number: cpf } }, from).then(
    (joined) => response.end(JSON.stringify(joined)),
    (error: Error) => response.writeHead(502).end(error.message),
  );
});
server.listen(Number(PORT), "127.0.0.1", () => {
  process.stdout.write(`the gym listens on http://127.0.0.1:${PORT}\n`);
});
process.once("SIGTERM", () => server.close());
