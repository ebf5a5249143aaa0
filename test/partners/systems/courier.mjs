// A courier service. Senders pay for a parcel by PIX, and the rider is paid once the sender has paid.
//
// All work is a row in the table `jobs`: a webhook is stored as a job and answered, and a runner polls the table.
//
// SANDBANK_URL   the bank
// PORT           the port of the service
// DATABASE       the file of its database
// FLAW           a mistake that developers make; empty for none
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const BANK = process.env.SANDBANK_URL ?? "http://127.0.0.1:4010";
const PORT = Number(process.env.PORT ?? 5012);
const FLAW = process.env.FLAW ?? "";
const SECRET = process.env.WEBHOOK_SECRET ?? "acme-webhook-secret";
const ACCOUNT = "11111111-1111-4111-8111-111111111111";
const RIDER_SHARE = 0.8;
const TRIES_MAX = 10;
const POLL_MS = 200;

const db = new DatabaseSync(process.env.DATABASE ?? "courier.db");
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS parcels (
    tracking TEXT PRIMARY KEY, label TEXT UNIQUE, price INTEGER, order_key TEXT, order_id TEXT, qr TEXT,
    payment TEXT DEFAULT 'unpaid', rider TEXT DEFAULT 'waiting', refunded INTEGER DEFAULT 0, created_ms INTEGER
  );
  CREATE TABLE IF NOT EXISTS ledger (entry TEXT PRIMARY KEY, account TEXT, cents INTEGER, booked_ms INTEGER);
  CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, payload TEXT, dedup TEXT UNIQUE, key TEXT,
    tries INTEGER DEFAULT 0, run_at INTEGER DEFAULT 0, state TEXT DEFAULT 'ready'
  );
`);

const run = (sql, ...values) => db.prepare(sql).run(...values);
const all = (sql, ...values) => db.prepare(sql).all(...values);
const one = (sql, ...values) => db.prepare(sql).get(...values);

function transaction(work) {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

const inMemory = [];

function addJob(kind, payload, dedup) {
  if (FLAW === "jobs in memory") {
    inMemory.push({ kind, payload: JSON.stringify(payload), key: randomUUID(), tries: 0, runAt: 0 });
    return;
  }
  const sql = "INSERT OR IGNORE INTO jobs (kind, payload, dedup, key) VALUES (?, ?, ?, ?)";
  run(sql, kind, JSON.stringify(payload), dedup, randomUUID());
}

// The bank.

class BankError extends Error {
  constructor(status, retryAfter) {
    super(`The bank answered ${status}.`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

let token = "acme-token";

async function renewToken() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "acme",
    client_secret: "acme-secret",
    scope: "api://app-order-prd",
  });
  const answer = await fetch(`${BANK}/oauth2/v2.0/token`, { method: "POST", body });
  if (!answer.ok) throw new BankError(answer.status);
  token = (await answer.json()).access_token;
}

async function bank(method, path, body, key) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(BANK + path, { method, headers, body: JSON.stringify(body), signal });
  if (answer.status === 401 && FLAW !== "never renews its token") await renewToken();
  if (!answer.ok) throw new BankError(answer.status, Number(answer.headers.get("retry-after")) || undefined);
  return answer.json();
}

const reais = (cents) => ({ currency: "BRL", value: (cents / 100).toFixed(2) });
const isFinal = ({ status }) => status >= 400 && status < 500 && ![401, 408, 409, 425, 429].includes(status);

// Jobs.

const handlers = {
  async "pay-rider"({ tracking }, { key }) {
    const parcel = one("SELECT * FROM parcels WHERE tracking = ?", tracking);
    const cents = Math.round(parcel.price * RIDER_SHARE);
    const body = {
      externalId: `ride-${parcel.label}`,
      accountId: ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: reais(cents),
      description: `Ride for ${parcel.label}`,
    };
    const used = FLAW === "new key for each try" ? randomUUID() : key;
    await bank("POST", "/order/v1/banking/order-payouts", body, used);
    run("UPDATE parcels SET rider = 'ordered' WHERE tracking = ? AND rider = 'waiting'", tracking);
  },
  async refund({ tracking }, { key }) {
    const parcel = one("SELECT * FROM parcels WHERE tracking = ?", tracking);
    const body = {
      orderId: parcel.order_id,
      amount: reais(parcel.price).value,
      reason: "The parcel was not picked up",
      requestedBy: { name: "Caio Lima", email: "caio@courier.example" },
    };
    await bank("PUT", "/order/v2/refund", body, key);
  },
  async hear(event) {
    transaction(() => apply(event));
  },
};

/** Books money once. The name of an entry is the same for each copy of an event. */
function book(entry, account, cents) {
  const name = FLAW === "handles copies" ? `${entry} ${randomUUID()}` : entry;
  run("INSERT OR IGNORE INTO ledger VALUES (?, ?, ?, ?)", name, account, cents, Date.now());
}

function apply(event) {
  const { event: name, code, id, amount } = event;
  const cents = Math.round(Number(amount?.value ?? 0) * 100);
  if (name === "ORDER-PAYIN.PAID") {
    const parcel = one("SELECT * FROM parcels WHERE label = ?", code);
    if (parcel === undefined) return;
    const payment = parcel.payment === "unpaid" ? "paid" : parcel.payment;
    run("UPDATE parcels SET payment = ?, order_id = ? WHERE label = ?", payment, id, code);
    book(`payin ${id}`, "received", cents);
    addJob(
      "pay-rider",
      { tracking: parcel.tracking },
      FLAW === "handles copies" ? randomUUID() : `ride ${parcel.tracking}`,
    );
  }
  if (name === "ORDER-PAYIN.REFUNDED") {
    const parcel = one("SELECT * FROM parcels WHERE label = ?", code);
    if (parcel === undefined) return;
    run("UPDATE parcels SET payment = 'refunded' WHERE label = ?", code);
    const given = FLAW === "books half of a refund" ? parcel.price / 2 : parcel.price;
    book(`refund ${event.refundId}`, "refunded", given);
  }
  if (name.startsWith("ORDER-PAYOUT.")) {
    const rider = name.endsWith(".PAID") ? "paid" : "failed";
    const label = String(code).replace(/^ride-/, "");
    run("UPDATE parcels SET rider = ? WHERE label = ?", rider, label);
    if (rider === "paid") book(`payout ${id}`, "paid out", cents);
  }
}

async function attempt(job) {
  try {
    await handlers[job.kind](JSON.parse(job.payload), job);
    return { state: "done" };
  } catch (error) {
    const isBank = error instanceof BankError;
    if (FLAW === "gives up after 503" && error.status === 503) return { state: "failed" };
    if (FLAW === "takes a lost answer for a failure" && !isBank) return { state: "failed" };
    if ((isBank && isFinal(error)) || job.tries + 1 >= TRIES_MAX) return { state: "failed" };
    if (error.status === 401 && FLAW === "never renews its token") return { state: "failed" };
    const backOff = 250 * 2 ** job.tries * (1 + Math.random() / 4);
    const pause = FLAW === "ignores Retry-After" ? 10 : Math.max(backOff, (error.retryAfter ?? 0) * 1000);
    const isTooOften = FLAW === "ignores Retry-After" && job.tries >= 3;
    return isTooOften ? { state: "failed" } : { state: "ready", runAt: Date.now() + pause };
  }
}

/** Jobs run one after another, so that the events of a parcel stay in order. */
async function work() {
  for (;;) {
    const due = all("SELECT * FROM jobs WHERE state = 'ready' AND run_at <= ? ORDER BY id", Date.now());
    for (const job of due) {
      const { state, runAt = 0 } = await attempt(job);
      run(
        "UPDATE jobs SET state = ?, tries = tries + 1, run_at = ? WHERE id = ?",
        state,
        Math.ceil(runAt),
        job.id,
      );
      if (state === "failed" && job.kind === "pay-rider")
        run("UPDATE parcels SET rider = 'failed' WHERE tracking = ?", JSON.parse(job.payload).tracking);
    }
    for (const job of inMemory.splice(0)) {
      const { state, runAt } =
        job.runAt > Date.now() ? { state: "ready", runAt: job.runAt } : await attempt(job);
      if (state === "ready") inMemory.push({ ...job, tries: job.tries + 1, runAt });
    }
    await sleep(FLAW === "ignores Retry-After" ? 10 : POLL_MS);
  }
}

// The API.

function isSigned(body, header = "") {
  if (FLAW === "checks no signature") return true;
  const right = Buffer.from(`sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(header);
  return right.length === given.length && timingSafeEqual(right, given);
}

function hear(body, header) {
  if (!isSigned(body, header)) return [401, { error: "signature" }];
  let event;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return [400, { error: "no JSON" }];
  }
  const data = event?.data ?? event;
  if (typeof event?.event !== "string" || typeof data?.id !== "string") return [400, { error: "no event" }];
  const parts = [event.event, data.id, event.refundId, data.status, data.updatedAt];
  const dedup = FLAW === "handles copies" ? randomUUID() : parts.join("|");
  if (FLAW === "answers before it stores") {
    setTimeout(() => addJob("hear", event, dedup), 150);
  } else addJob("hear", event, dedup);
  return [200, { returnCode: "SUCCESS" }];
}

/** Sells the transport of a parcel. A second request for the same label gets the same order. */
async function sell({ label, cents }) {
  const key = randomUUID();
  const sql =
    "INSERT OR IGNORE INTO parcels (tracking, label, price, order_key, created_ms) VALUES (?, ?, ?, ?, ?)";
  const tracking = `BR${Math.floor(1e9 * Math.random())}`;
  if (FLAW !== "stores the order after the call") run(sql, tracking, label, cents, key, Date.now());
  const parcel = one("SELECT * FROM parcels WHERE label = ?", label) ?? {
    tracking,
    price: cents,
    order_key: key,
  };
  if (parcel.order_id !== null && parcel.qr)
    return [200, { tracking: parcel.tracking, order: parcel.order_id }];
  const body = {
    customer: {
      name: "Maria da Silva",
      entityType: "INDIVIDUAL",
      document: { type: "CPF", number: "52998224725" },
    },
    order: {
      externalId: label,
      paymentMethod: "PIX",
      amount: reais(parcel.price),
      notificationUrl: `http://127.0.0.1:${PORT}/webhooks/bank`,
      expiresIn: 3600,
    },
  };
  try {
    const order = await bank("PUT", "/order/v2/transparent", body, parcel.order_key);
    if (FLAW === "stores the order after the call") run(sql, tracking, label, cents, key, Date.now());
    run("UPDATE parcels SET order_id = ?, qr = 'shown' WHERE label = ?", order.id, label);
    return [201, { tracking: parcel.tracking, order: order.id }];
  } catch (error) {
    return error instanceof BankError && isFinal(error)
      ? [422, { error: error.message }]
      : [503, { error: error.message }];
  }
}

function cancel({ label }) {
  const parcel = one("SELECT * FROM parcels WHERE label = ?", label);
  if (parcel === undefined) return [404, { error: "no parcel" }];
  if (parcel.payment === "unpaid") return [409, { error: "not paid yet" }];
  addJob("refund", { tracking: parcel.tracking }, `refund ${parcel.tracking}`);
  return [202, {}];
}

/** Finds parcels that are paid, and whose rider was never paid. */
function nightly() {
  for (const { tracking } of all(
    "SELECT tracking FROM parcels WHERE payment != 'unpaid' AND rider = 'waiting'",
  ))
    addJob("pay-rider", { tracking }, `ride ${tracking}`);
  return [200, {}];
}

function state() {
  const sum = (account) =>
    reais(one("SELECT sum(cents) AS cents FROM ledger WHERE account = ?", account).cents ?? 0).value;
  return [
    200,
    {
      parcels: all(
        "SELECT tracking, label, price, payment, rider, created_ms AS createdMs FROM parcels ORDER BY label",
      ),
      sums: { received: sum("received"), refunded: sum("refunded"), paidOut: sum("paid out") },
    },
  ];
}

function empty() {
  inMemory.length = 0;
  for (const table of ["parcels", "ledger", "jobs"]) run(`DELETE FROM ${table}`);
  return [200, {}];
}

const routes = {
  "GET /healthz": () => [200, { up: process.uptime() }],
  "GET /state": state,
  "POST /parcels": (body) => sell(JSON.parse(body)),
  "POST /parcels/cancel": (body) => cancel(JSON.parse(body)),
  "POST /cron/nightly": nightly,
  "POST /webhooks/bank": (body, headers) => hear(body, headers["x-signature-sha256"]),
  "POST /test/reset": empty,
};

createServer(async (request, response) => {
  const parts = [];
  try {
    for await (const part of request) parts.push(part);
  } catch {
    return; // The sender has gone.
  }
  const route = routes[`${request.method} ${request.url}`];
  let result = [404, {}];
  try {
    if (route !== undefined) result = await route(Buffer.concat(parts), request.headers);
  } catch (error) {
    result = [500, { error: error.message }];
  }
  response.writeHead(result[0], { "content-type": "application/json" }).end(JSON.stringify(result[1]));
}).listen(PORT, "127.0.0.1");

work();
