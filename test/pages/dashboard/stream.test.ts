import { expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../../../src/pages/dashboard/page/api.js";
import { streamEvents } from "../../../src/server/control/client.js";

const text =
  'retry: 1000\n\nid: 3.1\nevent: happened\ndata: {"what":"é"}\n\n: still here\n\nevent: begun\ndata: {}\n\n';

async function* chunks(size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test.each([1, 2, 7, 1000])("a stream in chunks of %i bytes gives the same events", async (size) => {
  const events = [];
  for await (const event of streamEvents(chunks(size))) events.push(event);
  expect(events).toEqual([
    { type: "message", id: undefined, data: undefined },
    { type: "happened", id: "3.1", data: '{"what":"é"}' },
    { type: "message", id: undefined, data: undefined },
    { type: "begun", id: undefined, data: "{}" },
  ]);
});

test("a stream that ended is opened again after the last event, and a burst is reported once", async () => {
  // The pause before a stream is opened again passes at once.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: (string | undefined)[] = [];
  const aborter = new AbortController();
  const api = {
    open: async (_: string, _input: object, { headers }: { headers: Record<string, string> }) => {
      asked.push(headers["last-event-id"]);
      if (asked.length === 2) aborter.abort();
      return { body: chunks(1000) };
    },
  };
  let bursts = 0;
  const listening = listen(api as never, { changed: () => (bursts += 1), signal: aborter.signal });
  await vi.runAllTimersAsync();
  await vi.runAllTimersAsync();
  await listening;
  expect(asked).toEqual([undefined, "3.1"]);
  expect(bursts).toBe(1);
});
