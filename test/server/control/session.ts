import { fileURLToPath } from "node:url";
import { openPartner, payoutBody, subscriptionBody } from "../../partner.ts";

/** A request of the session: method, path and, if it has one, its body; JSON unless it is a text. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer lists what the platform has, and becomes longer with each resource. */
  readonly grows?: boolean;
}

/** A request with its answer, byte for byte but for what a run cannot choose: times on the wall, and the server's name. */
export interface Exchanged extends Sent {
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly text: string;
}

const ACCOUNT = "11111111-1111-4111-8111-111111111111";
const BAD_ID = "00000000-0000-4000-8000-000000000000";
const ACME = { authorization: "Bearer acme-token" };
const ADMIN = { "x-admin-token": "admin" };

const SCENARIO = `name: A payout that is made
start: 2026-11-20T09:00:00-03:00
params:
  value: { default: "10.00" }
steps:
  - advance: PT1M
`;

/** The ids that earlier answers of the session gave, by the words that stand for them in later requests. */
type Known = Map<string, string>;

type Step = Sent & { readonly saves?: string };

function get(path: string, headers?: Sent["headers"]): Step {
  return { method: "GET", path, ...(headers && { headers }) };
}

function growing(step: Step): Step {
  return { ...step, grows: true };
}

function post(path: string, body?: unknown, saves?: string): Step {
  return { method: "POST", path, ...(body !== undefined && { body }), ...(saves && { saves }) };
}

function call(path: string, body: unknown, { saves, key }: { saves?: string; key?: string } = {}): Step {
  const headers = {
    ...ACME,
    ...(key !== undefined && { "idempotency-key": key }),
    "x-request-id": `call-${key ?? "1"}`,
  };
  return { method: "POST", path, body, headers, ...(saves && { saves }) };
}

function remove(path: string): Step {
  return { method: "DELETE", path };
}

function put(path: string, body: unknown): Step {
  return { method: "PUT", path, body };
}

function patch(path: string, body: unknown): Step {
  return { method: "PATCH", path, body };
}

function ofSecond(step: Step): Step {
  return { ...step, headers: { "x-sandbox-world": "w2" } };
}

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const PAYOUTS = "/order/v1/banking/order-payouts";
const LATE = "9999-01-01T00:00:00Z";
const MANY = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, at]));
const LONG = "x".repeat(2_000);

const STEPS: readonly Step[] = [
  // Servers and worlds.
  get("/sandbox/health"),
  get("/sandbox/health?x=1"),
  get("/sandbox/ready"),
  get("/sandbox/servers"),
  get("/sandbox/worlds"),
  post("/sandbox/worlds", {
    name: "second",
    seed: 3,
    start: "2026-11-21T09:00:00-03:00",
    mode: "frozen",
    webhookUrl: null,
  }),
  post("/sandbox/worlds", {}),
  post("/sandbox/worlds"),
  post("/sandbox/worlds", []),
  post("/sandbox/worlds", '"text"'),
  post("/sandbox/worlds", "null"),
  post("/sandbox/worlds", "{"),
  post("/sandbox/worlds", { nam: "x" }),
  post("/sandbox/worlds", { seed: -1, mode: "quick", name: "", start: "yesterday", webhookUrl: "ftp://x" }),
  post("/sandbox/worlds", { start: "2300-01-01T00:00:00Z" }),
  post("/sandbox/worlds", { start: 5, name: 7, assumptions: 1 }),
  post("/sandbox/worlds", { assumptions: { "payout.ted-dely": "PT1M" } }),
  post("/sandbox/worlds", { assumptions: { "payout.ted-delay": 5 } }),
  post("/sandbox/worlds", MANY),
  remove("/sandbox/worlds/w3"),
  remove("/sandbox/worlds/w3"),
  remove("/sandbox/worlds/default"),
  put("/sandbox/worlds", {}),
  get("/sandbox/worlds/w2"),
  // Who is asking.
  get("/sandbox/clock", { authorization: "Bearer nobody" }),
  get("/sandbox/clock", { authorization: "Basic YTpi" }),
  get("/sandbox/worlds", { authorization: "Bearer nobody" }),
  get("/sandbox/clock", { authorization: "Bearer acme-token.w2" }),
  get("/sandbox/clock", { "x-sandbox-world": "w2" }),
  get("/sandbox/clock", { "x-sandbox-world": "w99" }),
  { ...post("/sandbox/reset"), headers: { origin: "http://elsewhere.example" } },
  // Time.
  get("/sandbox/clock"),
  get("/sandbox/clock?x=1"),
  put("/sandbox/clock", {}),
  put("/sandbox/clock", { mode: "quick" }),
  put("/sandbox/clock", { mode: null }),
  put("/sandbox/clock", { now: 5 }),
  put("/sandbox/clock", { now: "tomorrow" }),
  put("/sandbox/clock", { now: "2026-11-01T00:00:00Z" }),
  put("/sandbox/clock", { now: LATE }),
  put("/sandbox/clock", { mode: "frozen", noww: 1 }),
  put("/sandbox/clock", { mode: "frozen", now: "2026-11-20T09:00:01-03:00" }),
  put("/sandbox/clock", MANY),
  remove("/sandbox/clock"),
  post("/sandbox/clock/advance", {}),
  post("/sandbox/clock/advance"),
  post("/sandbox/clock/advance", { by: "PT1S" }),
  post("/sandbox/clock/advance", { by: "1 hour" }),
  post("/sandbox/clock/advance", { by: 5 }),
  post("/sandbox/clock/advance", { by: null }),
  post("/sandbox/clock/advance", { by: "P9000Y" }),
  post("/sandbox/clock/advance", { by: "P1D", to: LATE }),
  post("/sandbox/clock/advance", { by: "P1D", to: LATE, until: "next" }),
  post("/sandbox/clock/advance", { to: "2026-11-20T08:00:00-03:00" }),
  post("/sandbox/clock/advance", { to: true }),
  post("/sandbox/clock/advance", { until: "later" }),
  post("/sandbox/clock/advance", { until: "idle", wait: false }),
  post("/sandbox/clock/advance", { by: "PT1S", wait: "no" }),
  post("/sandbox/clock/advance", { by: "PT1S", wait: false }),
  post("/sandbox/clock/advance", { buy: "PT1S" }),
  post("/sandbox/clock/advance", []),
  // Followers of the clock: in a world of their own, so that they hold up no advance of the others.
  ofSecond(post("/sandbox/clock/followers", {})),
  ofSecond(post("/sandbox/clock/followers", { name: "", lease: "soon", turnTimeout: 5 })),
  ofSecond(post("/sandbox/clock/followers", { name: "gym" })),
  ofSecond(put("/sandbox/clock/followers/f1", { next: "2026-11-21T10:00:00-03:00", busy: false })),
  ofSecond(put("/sandbox/clock/followers/f1", { next: "tomorrow", busy: "no" })),
  ofSecond(put("/sandbox/clock/followers/f9", { next: null })),
  ofSecond(get("/sandbox/clock/due")),
  ofSecond(get("/sandbox/clock/followers/f1/turns")),
  ofSecond(get("/sandbox/clock/followers/f9/turns")),
  ofSecond(post("/sandbox/clock/followers/f1/turns/1", { next: null })),
  ofSecond(post("/sandbox/clock/followers/f1/turns/1", {})),
  ofSecond(get("/sandbox/clock/followers")),
  ofSecond(remove("/sandbox/clock/followers/f1")),
  ofSecond(remove("/sandbox/clock/followers/f1")),
  // A listener.
  ofSecond(get("/sandbox/listener/attempts")),
  ofSecond(get("/sandbox/listener/attempts?id=listener-1&host=laptop&forward=http://127.0.0.1:1/&events=X")),
  ofSecond(get("/sandbox/listener/attempts?id=listener-1&host=laptop&forward=http://127.0.0.1:1/")),
  ofSecond(post("/sandbox/listener/results", { id: "listener-1" })),
  ofSecond(
    post("/sandbox/listener/results", {
      id: "listener-1",
      order: 1,
      results: [
        {
          status: 200,
          error: null,
          message: "The receiver answered 200.",
          responseHeaders: {},
          responseBody: "",
          responseTruncated: false,
          durationMs: 3,
        },
      ],
    }),
  ),
  // Settings.
  patch("/sandbox/settings", { webhookUrl: 5 }),
  patch("/sandbox/settings", { webhookUrl: "nowhere" }),
  patch("/sandbox/settings", { assumptions: { "payout.ted-delay": "soon" } }),
  patch("/sandbox/settings", { assumption: {} }),
  patch("/sandbox/settings", {}),
  patch("/sandbox/settings", { assumptions: { "payout.ted-delay": "PT2M" } }),
  get("/sandbox/settings"),
  // Faults and plans.
  growing(post("/sandbox/faults", {})),
  post("/sandbox/faults", { on: "webhook", effect: "duplicat" }),
  post("/sandbox/faults", { on: "somewhere", effect: "duplicate" }),
  post("/sandbox/faults", { on: "webhook", effect: "duplicate", event: "ORDER-PAYOUT.PAYD" }),
  post("/sandbox/faults", { on: "webhook", effect: "duplicate", nth: 0, times: -1, probability: 2 }),
  post("/sandbox/faults", { on: "webhook", effect: "duplicate", event: "ORDER-PAYOUT.*", times: 1 }, "FAULT"),
  post("/sandbox/faults", { on: "api", effect: "error", operation: "listAccounts", times: 1 }),
  growing(get("/sandbox/faults")),
  remove(`/sandbox/faults/${BAD_ID}`),
  growing(post("/sandbox/plans", {})),
  post("/sandbox/plans", { plan: "payout.settlment", outcomes: ["PAID"] }),
  growing(post("/sandbox/plans", { plan: 5, outcomes: 5 })),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: [] }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAYED", "PAID", 7] }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: "PAID" }),
  post("/sandbox/plans", {
    plan: "payout.settlement",
    outcomes: Array.from({ length: 1_001 }, () => "PAID"),
  }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAID"], on: 5 }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAID"], on: BAD_ID }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAID"], on: ACCOUNT }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAID"], one: ACCOUNT }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["PAID"], ...MANY }),
  post("/sandbox/plans", { plan: "payout.settlement", outcomes: ["ERROR"] }),
  growing(get("/sandbox/plans")),
  // What a partner's client does, and what comes of it.
  call(SUBSCRIPTIONS, subscriptionBody(), { saves: "SUBSCRIPTION" }),
  call(PAYOUTS, payoutBody(), { key: "payout-1", saves: "PAYOUT" }),
  call(PAYOUTS, payoutBody({ amount: { currency: "BRL", value: "-1" } }), { key: "payout-2" }),
  get("/sandbox/clock/due"),
  get("/sandbox/clock/due?limit=1"),
  get("/sandbox/clock/due?limit=many"),
  get("/sandbox/clock/due?limt=1"),
  growing(get("/sandbox/acts")),
  post("/sandbox/acts/subscription.acept", { id: "$SUBSCRIPTION" }),
  post("/sandbox/acts/subscription.accept", {}),
  post("/sandbox/acts/subscription.accept"),
  post("/sandbox/acts/subscription.accept", { id: 5 }),
  post("/sandbox/acts/subscription.accept", { id: null }),
  post("/sandbox/acts/subscription.accept", { id: BAD_ID }),
  post("/sandbox/acts/subscription.accept", { id: "$SUBSCRIPTION", wait: 1 }),
  post("/sandbox/acts/subscription.accept", { id: "$SUBSCRIPTION", payr: {} }),
  post("/sandbox/acts/subscription.accept", { id: "$SUBSCRIPTION", payer: { name: "" }, maxAmount: "7" }),
  post("/sandbox/acts/subscription.accept", { id: "$SUBSCRIPTION", wait: true }),
  post("/sandbox/acts/subscription.accept", { id: "$SUBSCRIPTION" }),
  post("/sandbox/acts/account.deposit", { id: ACCOUNT, amount: "10.00" }),
  post("/sandbox/acts/account.deposit", { id: ACCOUNT }),
  post("/sandbox/acts/webhook.set-url", { url: "http://receiver.example/own" }),
  get("/sandbox/acts/account.deposit"),
  post("/sandbox/clock/advance", { by: "PT10M" }),
  post("/sandbox/clock/advance", { until: "next" }),
  growing(get("/sandbox/plans")),
  remove("/sandbox/plans"),
  remove("/sandbox/faults/$FAULT"),
  remove("/sandbox/faults"),
  // Reading a world.
  growing(get("/sandbox/resources")),
  get("/sandbox/resources/payouts"),
  get("/sandbox/resources/payouts?last=0"),
  get("/sandbox/resources/payouts?last=x"),
  get("/sandbox/resources/payouts?status=ERROR"),
  get("/sandbox/resources/payouts?status=EROR"),
  get("/sandbox/resources/payout"),
  get("/sandbox/resources/payouts/$PAYOUT"),
  get(`/sandbox/resources/payouts/${BAD_ID}`),
  get("/sandbox/resources/subscriptions/$SUBSCRIPTION"),
  get("/sandbox/resources/subscriptions/$SUBSCRIPTION", { authorization: "Bearer acme-token.w2" }),
  get("/sandbox/resources/webhook-events"),
  get("/sandbox/ledger"),
  get("/sandbox/inbox"),
  growing(get("/sandbox/assumptions")),
  growing(get("/sandbox/coverage")),
  // Webhooks.
  get("/sandbox/deliveries"),
  get("/sandbox/deliveries?event=SUBSCRIPTION.*&last=1&wait=false"),
  get("/sandbox/deliveries?object=$PAYOUT&status=delivered"),
  get(
    "/sandbox/deliveries?injected=duplicate&attempts=1%2B&since=2026-11-20T09:00:00-03:00&until=2026-11-20T10:00:00-03:00",
  ),
  get("/sandbox/deliveries?status=lst"),
  get("/sandbox/deliveries?attempts=many"),
  get("/sandbox/deliveries?since=yesterday"),
  get("/sandbox/deliveries?until=2026-11-20"),
  get("/sandbox/deliveries?last=-1"),
  get("/sandbox/deliveries?evnt=x&stats=y"),
  get(`/sandbox/deliveries/${BAD_ID}`),
  get("/sandbox/deliveries/$DELIVERY"),
  post("/sandbox/deliveries/$DELIVERY/resend"),
  post(`/sandbox/deliveries/${BAD_ID}/resend`),
  post("/sandbox/deliveries/resend"),
  post("/sandbox/deliveries/resend", { status: "delivered", event: "SUBSCRIPTION.ACCEPTED" }),
  post("/sandbox/deliveries/resend", { status: 5 }),
  post("/sandbox/deliveries/resend", { status: "undeliverd" }),
  post("/sandbox/deliveries/resend", { sttus: "x", until: "y" }),
  post("/sandbox/deliveries/resend", { since: "yesterday" }),
  post("/sandbox/deliveries/$DELIVERY/verify"),
  post("/sandbox/deliveries/$DELIVERY/verify", { secret: "wrong" }),
  post("/sandbox/deliveries/$DELIVERY/verify", { header: null, body: "{}" }),
  post("/sandbox/deliveries/$DELIVERY/verify", { header: 5 }),
  post("/sandbox/deliveries/$DELIVERY/verify", { body: {}, attempt: 0 }),
  post("/sandbox/deliveries/$DELIVERY/verify", { attempt: "1" }),
  post("/sandbox/deliveries/$DELIVERY/verify", { attempt: 99 }),
  post("/sandbox/deliveries/$DELIVERY/verify", { secrt: "x" }),
  post(`/sandbox/deliveries/${BAD_ID}/verify`, {}),
  // Calls.
  get("/sandbox/requests"),
  get("/sandbox/requests?operation=createPayout&status=4xx&limit=1"),
  get("/sandbox/requests?operation=createPayot"),
  get("/sandbox/requests?status=900"),
  get("/sandbox/requests?limit=x"),
  get("/sandbox/requests?format=xml"),
  get("/sandbox/requests?format=har&limit=1"),
  get("/sandbox/requests?opration=x"),
  get("/sandbox/requests?format=har"),
  get("/sandbox/requests/call-payout-1"),
  get("/sandbox/requests/call-99"),
  get("/sandbox/lints"),
  get("/sandbox/books"),
  get("/sandbox/books?history=true&of=payouts,subscriptions"),
  get(`/sandbox/books?account=${ACCOUNT}`),
  get("/sandbox/books?account=x"),
  get("/sandbox/books?of=payout"),
  // The timeline.
  get("/sandbox/timeline"),
  get("/sandbox/timeline?since=3&until=4"),
  get("/sandbox/timeline?since=x"),
  get("/sandbox/timeline?until=x"),
  get("/sandbox/timeline?about=$PAYOUT"),
  get(`/sandbox/timeline?about=${BAD_ID}`),
  get("/sandbox/timeline?abuot=x"),
  get("/sandbox/timeline/stream?since=1"),
  get("/sandbox/timeline/stream", { "last-event-id": "here" }),
  get("/sandbox/timeline/stream", { "last-event-id": "2.1" }),
  get("/sandbox/timeline/stream?since=x"),
  get("/sandbox/digest"),
  get("/sandbox/recording"),
  // States of a world.
  get("/sandbox/snapshots"),
  post("/sandbox/snapshots"),
  post("/sandbox/snapshots"),
  get("/sandbox/snapshots"),
  remove("/sandbox/snapshots/s2"),
  remove("/sandbox/snapshots/s9"),
  post("/sandbox/snapshots/s9/restore"),
  post("/sandbox/snapshots/s1/restore"),
  remove("/sandbox/snapshots/s1"),
  post("/sandbox/fork", { seed: 5 }),
  post("/sandbox/fork"),
  post("/sandbox/fork", { seed: "5" }),
  post("/sandbox/fork", { seed: 1.5 }),
  post("/sandbox/fork", { sed: 5 }),
  post("/sandbox/reset", { seed: -1 }),
  post("/sandbox/reset", { seeds: 1 }),
  post("/sandbox/reset", { seed: null }),
  // Scenarios.
  growing(get("/sandbox/scenarios")),
  get("/sandbox/scenarios/payouts/nowhere"),
  post("/sandbox/scenarios", SCENARIO),
  post("/sandbox/scenarios", { text: SCENARIO }),
  post("/sandbox/scenarios", "name: x\nsteps:\n  - cal: y\n"),
  post("/sandbox/scenarios", ""),
  get("/sandbox/scenarios/A%20payout%20that%20is%20made"),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run"),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run", { seed: 4, params: { value: "5.00" } }),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run", { seed: "4" }),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run", { params: [1] }),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run", { params: { valu: "5.00" } }),
  post("/sandbox/scenarios/A%20payout%20that%20is%20made/run", { sed: 4 }),
  post("/sandbox/scenarios/nothing/run", {}),
  // Pact verifiers.
  growing(get("/sandbox/pact/states")),
  post("/sandbox/pact/states", { state: "a payout was paid", action: "setup" }),
  post("/sandbox/pact/states", { state: "a payout was paid", action: "teardown" }),
  post("/sandbox/pact/states?state=a%20payout%20was%20paid", {}),
  post("/sandbox/pact/states", { state: "a payout was payed" }),
  post("/sandbox/pact/states", { state: "a payout was paid", action: "tear" }),
  post("/sandbox/pact/states", { state: 5 }),
  post("/sandbox/pact/states", {}),
  post("/sandbox/pact/states", { state: LONG }),
  post("/sandbox/pact/states", { state: "a payout was paid", params: [] }),
  post("/sandbox/pact/states", { state: "a payout was paid", params: { nothing: 1 } }),
  post("/sandbox/pact/messages", { description: "ORDER-PAYOUT.PAID", providerStates: [] }),
  post("/sandbox/pact/messages", {
    description: "ORDER-PAYOUT.PAID",
    providerStates: [{ name: "a payout was paid" }],
  }),
  post("/sandbox/pact/messages", { description: "ORDER-PAYOUT.PAYED" }),
  post("/sandbox/pact/messages", {}),
  post("/sandbox/pact/messages", { description: 5, providerStates: "x" }),
  post("/sandbox/pact/messages", { description: "x", providerStates: "x" }),
  growing(post("/sandbox/pact/messages", { description: "x", providerStates: [{}] })),
  post("/sandbox/pact/messages", {
    description: "x",
    providerStates: Array.from({ length: 101 }, () => ({ name: "y" })),
  }),
  // Paths and methods that do not exist, and the end.
  get("/sandbox/clocks"),
  get("/sandbox"),
  growing(get("/sandbox/nothing/at/all")),
  post("/sandbox/reset", { seed: 9 }),
  get("/sandbox/resources/payouts"),
];

/** Requests that need a sandbox with an admin token. */
const GUARDED: readonly Step[] = [
  get("/sandbox/health"),
  get("/sandbox/ready"),
  get("/sandbox/clock"),
  get("/sandbox/clock", { "x-admin-token": "wrong" }),
  get("/sandbox/clock", ADMIN),
  get("/sandbox/nothing"),
  post("/sandbox/pact/states", { state: "a payout was paid" }),
  get("/sandbox/nothing", ADMIN),
];

/** Sends every request of the session, in order, to a sandbox with a fixed seed and a fixed clock. */
export async function exchangedInSession(): Promise<Exchanged[]> {
  return [...(await exchangedBy(STEPS, {})), ...(await exchangedBy(GUARDED, { adminToken: "admin" }))];
}

async function exchangedBy(
  steps: readonly Step[],
  options: { readonly adminToken?: string },
): Promise<Exchanged[]> {
  await using partner = await openPartner(options);
  partner.receiver.script([500]);
  const known: Known = new Map();
  const exchanged: Exchanged[] = [];
  for (const step of steps) {
    const { saves, ...sent } = filled(step, known);
    const { method, path, body, headers = {} } = sent;
    const response = await partner.sandbox.fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const { "x-request-id": _id, ...rest } = Object.fromEntries(response.headers);
    const text = await textOf(response);
    if (saves !== undefined) known.set(saves, (JSON.parse(text) as { id: string }).id);
    if (path === "/sandbox/deliveries")
      known.set("DELIVERY", (JSON.parse(text) as { data: { id: string }[] }).data[0]?.id ?? "");
    exchanged.push({ ...sent, status: response.status, answerHeaders: rest, text: withoutWall(text) });
  }
  return exchanged;
}

/** A step with the ids of earlier answers in place of their words. */
function filled(step: Step, known: Known): Step {
  const text = JSON.stringify(step).replaceAll(
    /\$([A-Z]+)/g,
    (word, name: string) => known.get(name) ?? word,
  );
  return JSON.parse(text) as Step;
}

/** The text of an answer; of a stream, which has no end, what comes first. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let read = 0; read < 2; read++) text += decoder.decode((await reader?.read())?.value);
  await reader?.cancel();
  return text;
}

/** The text without times on the wall, names that a server draws and the folder of the package; a picture is only named. */
function withoutWall(text: string): string {
  return text
    .replaceAll(fileURLToPath(new URL("../../../", import.meta.url)), "")
    .replaceAll(/iVBORw0KGgo[\w+/=]+/g, "PICTURE")
    .replaceAll(/("(?:durationMs|time|wait)":)[\d.]+/g, "$1WALL")
    .replaceAll(/("(?:startedAt|seenAt)":)"[^"]*"/g, '$1"WALL"')
    .replaceAll(/("(?:server|id)":)"[\w-]+-[0-9a-f]{6}"/g, '$1"SERVER"')
    .replaceAll(/lists all \d+/g, "lists all COUNT")
    .replaceAll(/("version":)"\d+\.\d+\.\d+"/g, '$1"VERSION"');
}
