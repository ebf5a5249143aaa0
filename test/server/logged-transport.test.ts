import type { AttemptResult, WebhookRequest } from "../../src/simulator/webhooks/attempt.ts";
import { expect, test } from "vitest";
import { loggedTransport } from "../../src/server/logged-transport.ts";
import { SILENCE } from "../../src/base/log.ts";

const answered = { status: 500, error: "non-2xx", message: "The receiver answered 500." } as AttemptResult;
const refused = { status: null, error: "refused", message: "Nobody listens there." } as AttemptResult;

/** What is logged for these attempts, one after another. */
async function logged(
  ...attempts: readonly (readonly [url: string, AttemptResult, Partial<WebhookRequest>?])[]
): Promise<string[]> {
  const sentences: string[] = [];
  const log = { ...SILENCE, warn: (_fields: object, sentence: string) => void sentences.push(sentence) };
  const results = attempts.map(([, result]) => result);
  const transport = loggedTransport(async () => [results.shift() ?? answered], log);
  for (const [url, , more] of attempts)
    await transport([{ url, headers: {}, body: Buffer.from(""), deadlineMs: 1, ...more }]);
  return sentences;
}

test("a receiver that cannot be reached is logged once, until it answers again", async () => {
  const here = "http://127.0.0.1:4011/webhooks";
  expect(await logged([here, refused], [here, refused], ["http://127.0.0.1:4011/other", refused])).toEqual([
    refused.message,
  ]);
  expect(await logged([here, refused], [here, answered], [here, refused])).toHaveLength(2);
  expect(await logged([here, refused], ["http://127.0.0.1:4012/", refused])).toHaveLength(2);
});

test("a refused signature is logged once, with its company and the command that tests it", async () => {
  const here = "http://127.0.0.1:4011/webhooks";
  const message = "The receiver answered 401.";
  const refusal = { status: 401, error: "non-2xx", message } as AttemptResult;
  const signed = { signedBy: "acme" };
  expect(await logged([here, refusal, signed], [here, refusal, signed])).toEqual([
    `${message} The secret of the company acme signed it. To test the receiver: sandbank receiver check ${here} --secret SECRET`,
  ]);
  // A signature that a fault has made wrong is refused as it should be.
  expect(await logged([here, refusal])).toEqual([]);
});

test("other answers of receivers and effects of faults are not logged", async () => {
  expect(await logged(["http://127.0.0.1:4011/", answered])).toEqual([]);
  const manner = { kind: "refuse-connection" } as unknown as NonNullable<WebhookRequest["manner"]>;
  expect(await logged(["http://127.0.0.1:4011/", refused, { manner }])).toEqual([]);
});
