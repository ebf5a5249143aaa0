import { createServer } from "node:http";
import { GymWithJobs } from "./jobs.ts";
import { receiver } from "../partner/receiver.ts";

/**
 * Starts the gym: webhooks at /webhooks, the log of its jobs at /log, its state at /books. POST /join signs a member up.
 */
const {
  BANK_URL = "http://127.0.0.1:4010",
  HOST = "127.0.0.1",
  PORT = "4020",
  WEBHOOK_URL = `http://127.0.0.1:${PORT}/webhooks`,
  WEBHOOK_SECRET = "acme-webhook-secret",
} = process.env;
const { BANK_CLIENT = "acme", BANK_SECRET = "acme-secret" } = process.env;
const { BANK_ACCOUNT = "11111111-1111-4111-8111-111111111111" } = process.env;

const jobs = new GymWithJobs({
  bankUrl: BANK_URL,
  clientId: BANK_CLIENT,
  clientSecret: BANK_SECRET,
  accountId: BANK_ACCOUNT,
  webhookUrl: WEBHOOK_URL,
});

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://gym");
  if (pathname === "/webhooks") return receiver(jobs.gym, WEBHOOK_SECRET)(request, response);
  if (pathname === "/books") return void response.end(JSON.stringify(jobs.gym.books, null, 2));
  if (pathname === "/log") return void response.end(jobs.log.join("\n"));
  if (pathname !== "/join") return void response.writeHead(404).end();
  const months = Number(searchParams.get("months") ?? 12);
  jobs.join(searchParams.get("cpf") ?? "", { dueDay: Number(searchParams.get("day")), months }).then(
    (id) => response.end(JSON.stringify({ id })),
    (error: Error) => response.writeHead(502).end(error.message),
  );
});

server.listen(Number(PORT), HOST, () => {
  jobs.start();
  process.stdout.write(`the gym listens on http://${HOST}:${PORT}\n`);
});
process.once("SIGTERM", () => process.exit());
