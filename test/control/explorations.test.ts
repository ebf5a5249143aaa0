import { expect, test } from "vitest";
import { detail, openPartner } from "../partner.ts";

const REPORT = { scenario: "A month", events: [], divergences: [{}], verdict: "diverges", depth: 2 };

test("the report of an exploration is kept and listed, one result or several", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("POST", "/sandbox/explorations", { body: REPORT })).body).toMatchObject({
    id: "1",
  });
  const second = await partner.ask("POST", "/sandbox/explorations", {
    body: { results: [REPORT, { ...REPORT, verdict: "converges", divergences: [] }] },
  });
  expect([second.status, second.body["id"]]).toEqual([201, "2"]);
  const { body } = await partner.ask("GET", "/sandbox/explorations");
  expect(body["data"]).toEqual([
    { id: "1", results: [{ scenario: "A month", verdict: "diverges", divergences: 1 }] },
    {
      id: "2",
      results: [
        { scenario: "A month", verdict: "diverges", divergences: 1 },
        { scenario: "A month", verdict: "converges", divergences: 0 },
      ],
    },
  ]);
  expect((await partner.ask("GET", "/sandbox/explorations/1")).body).toEqual({ id: "1", results: [REPORT] });
});

test("the newest twenty are kept", async () => {
  await using partner = await openPartner();
  for (let count = 0; count < 21; count++)
    await partner.ask("POST", "/sandbox/explorations", { body: REPORT });
  const { data } = (await partner.ask("GET", "/sandbox/explorations")).body as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 2)));
  const gone = await partner.ask("GET", "/sandbox/explorations/1");
  expect([gone.status, gone.body["message"]]).toEqual([
    404,
    'There is no report "1". The newest 20 are kept.',
  ]);
});

test("what is no report is refused, and nothing of it is kept", async () => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/explorations", { body: { results: [REPORT, {}] } });
  expect(refused.status).toBe(400);
  expect(detail(refused, "results")["description"]).toBe(
    "This is no report. Send what sandbank explore --reporter json writes.",
  );
  expect((await partner.ask("GET", "/sandbox/explorations")).body["data"]).toEqual([]);
});
