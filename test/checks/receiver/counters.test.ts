import { expect, test } from "vitest";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../../src/simulator/api/signature.ts";
import { Machine } from "../../partners/machine.ts";

const SECRET = "counter-secret";
const CHECKS = ["I1", "I2", "I4", "E2", "E3"];

/** Checks a receiver that counts its deliveries, and stores each event once. */
async function checked(show: (state: { deliveries: number; ids: ReadonlySet<string> }) => unknown) {
  using machine = new Machine(1, 7);
  const ids = new Set<string>();
  let deliveries = 0;
  const { checks } = await receiverReport({
    openSandbox,
    url: "http://receiver.example/webhooks",
    secret: SECRET,
    seed: 7,
    only: CHECKS,
    capabilities: ["orders"],
    wall: machine.wall,
    endpoint: {
      receive: async (request) => {
        const body = await request.text();
        if (request.headers.get(SIGNATURE_HEADER) !== signatureOf(SECRET, Buffer.from(body)))
          return new Response("", { status: 401 });
        const {
          event,
          data = {},
          ...own
        } = JSON.parse(body) as {
          readonly event: string;
          readonly id?: string;
          readonly data?: { readonly id?: string };
        };
        deliveries += 1;
        ids.add(`${event} ${data.id ?? own.id}`);
        return Response.json({});
      },
      probe: async () => show({ deliveries, ids }),
    },
  });
  return checks.map(({ id, verdict, cause, fix }) => ({ id, verdict, cause, fix }));
}

test.each([
  ["of deliveries", ({ deliveries }: { readonly deliveries: number }) => ({ deliveries })],
  ["of events", ({ ids }: { readonly ids: ReadonlySet<string> }) => ({ events: ids.size })],
] as const)("copies and orders are not decided by a counter %s", async (_, show) => {
  expect(await checked(show as Parameters<typeof checked>[0])).toEqual(
    CHECKS.map((id) => ({
      id,
      verdict: "inconclusive",
      cause: "The state of an object in the receiver cannot be seen from outside.",
      fix: "The probe shows only counters. Let it show each object with its id and its state.",
    })),
  );
});

test("copies and orders are decided by the objects that a probe shows", async () => {
  const found = await checked(({ ids }) => [...ids].toSorted());
  expect(found.map(({ verdict }) => verdict)).toEqual(CHECKS.map(() => "pass"));
});
