import { describe, expect, test } from "vitest";
import {
  type NamedState,
  type Naming,
  drawnNames,
  nameState,
  nameText,
  namesOf,
  originsIn,
} from "../../../src/partner/states/naming.ts";
import {
  ignoredPaths,
  isCompared,
  rulesFor,
  stateDifferences,
} from "../../../src/partner/states/comparison.ts";
import {
  readIgnoredPath,
  withoutIgnored,
  type IgnoredPath,
} from "../../../src/partner/states/ignored-paths.ts";

const IDS = {
  first: { sub: "4f1c2d3e-0000-4000-8000-000000000001", charge: "aa1c2d3e-0000-4000-8000-000000000001" },
  second: { sub: "9e8d7c6b-0000-4000-8000-000000000002", charge: "bb1c2d3e-0000-4000-8000-000000000002" },
};

function namingOf(ids: { sub: string; charge: string }, run?: string): Naming {
  const names = new Map([
    [ids.sub, "sub.id"],
    [ids.charge, "charge.id"],
  ]);
  return { names, ...(run !== undefined && { run }) };
}

const first = (state: unknown): NamedState => nameState(state, namingOf(IDS.first, "r1"));
const second = (state: unknown): NamedState => nameState(state, namingOf(IDS.second, "r2"));

function accepted(path: string): IgnoredPath {
  const read = readIgnoredPath(path);
  if ("mistake" in read) throw new Error(read.mistake);
  return read;
}

describe("naming", () => {
  test("values that a run drew have names, in values, in keys and inside texts", () => {
    const state = { [IDS.first.sub]: { last: `ACCEPTED:${IDS.first.sub}`, charges: [IDS.first.charge] } };
    expect(first(state).value).toEqual({ "sub.id": { last: "ACCEPTED:sub.id", charges: ["charge.id"] } });
    const other = { [IDS.second.sub]: { last: `ACCEPTED:${IDS.second.sub}`, charges: [IDS.second.charge] } };
    expect(stateDifferences(first(state), second(other))).toEqual([]);
  });

  test("the text of the run is replaced where it is a word of its own", () => {
    expect(nameText("gym-r1", namingOf(IDS.first, "r1"))).toBe("gym-${run}");
    expect(nameText("gym-r12 r1x", namingOf(IDS.first, "r1"))).toBe("gym-r12 r1x");
  });

  test("a text that is the same in both baselines is never renamed", () => {
    const naming = { ...namingOf(IDS.first, "r3"), constants: new Set(["r3"]) };
    expect(nameState({ room: "r3" }, naming).value).toEqual({ room: "r3" });
  });

  test("what two seeds draw differently is drawn, and what differs only by the run is not", () => {
    const origins = (id: string, run: string): Map<string, string> =>
      originsIn({ id, externalId: `gym-${run}`, status: "ACCEPTED" }, "sub");
    const [one, other] = [origins(IDS.first.sub, "r1"), origins(IDS.second.sub, "r2")];
    const drawn = drawnNames(one, other, [
      { names: new Map(), run: "r1" },
      { names: new Map(), run: "r2" },
    ]);
    expect([...drawn.keys()]).toEqual(["sub.id"]);
    expect(namesOf(one, drawn)).toEqual(new Map([[IDS.first.sub, "sub.id"]]));
  });

  test("a text keeps its name if its first origin is missing in a run", () => {
    const origins = (text: string): Map<string, string> =>
      new Map([
        ["event 3 code", text],
        ["call 3 externalId", text],
      ]);
    const drawn = drawnNames(origins("bonus-4f1c"), origins("bonus-77d0"));
    expect(namesOf(new Map([["call 3 externalId", "bonus-c033"]]), drawn)).toEqual(
      new Map([["bonus-c033", "event 3 code"]]),
    );
  });

  test("two texts never have one name, also if one text of the baseline is both", () => {
    const origins = (text: string): Map<string, string> =>
      new Map([
        ["event 3 code", text],
        ["call 3 externalId", text],
      ]);
    const drawn = drawnNames(origins("bonus-4f1c"), origins("bonus-77d0"));
    const own = new Map([...origins("bonus-c033"), ["call 3 externalId", "bonus-c034"]]);
    expect(Object.fromEntries(namesOf(own, drawn))).toEqual({
      "bonus-c033": "event 3 code",
      "bonus-c034": "call 3 externalId",
    });
  });

  test("a status that two runs read at different times is no name, but a random text in capitals is one", () => {
    const origins = (read: string, code: string): Map<string, string> =>
      new Map([
        ["event 5 status", "CANCELED"],
        ["call 5 status", read],
        ["call 1 code", code],
      ]);
    const drawn = drawnNames(origins("CANCELED", "XKJDQW"), origins("ACCEPTED", "PLMOKN"));
    expect([...drawn.keys()]).toEqual(["call 1 code"]);
  });

  test("a text that differs only by a known name within it needs no other name", () => {
    const origins = (id: string): Map<string, string> => originsIn({ id, code: `bonus-${id}` }, "sub");
    const [one, other] = [origins(IDS.first.sub), origins(IDS.second.sub)];
    const drawn = drawnNames(one, other, [namingOf(IDS.first, "r1"), namingOf(IDS.second, "r2")]);
    expect([...drawn.keys()]).toEqual(["sub.id"]);
  });
});

describe("rules", () => {
  test("a value that differs by itself is left out everywhere, but not whether it is there", () => {
    const rules = rulesFor(
      first({ members: [{ id: IDS.first.sub, seenAt: 1 }] }),
      second({ members: [{ id: IDS.second.sub, seenAt: 2 }] }),
    );
    expect(ignoredPaths(rules)).toEqual(["$.members[*].seenAt"]);
    const baseline = first({ members: [{ id: IDS.first.sub, seenAt: 1 }] });
    expect(
      stateDifferences(baseline, second({ members: [{ id: IDS.second.sub, seenAt: 9 }] }), rules),
    ).toEqual([]);
    expect(stateDifferences(baseline, second({ members: [{ id: IDS.second.sub }] }), rules)).toEqual([
      { path: "$.members[0].seenAt", baseline: 1, found: undefined },
    ]);
  });

  test("items that differ by themselves are counted, also where each is a text with a name", () => {
    const [one, other] = [{ paid: [`${IDS.first.sub}-4f`] }, { paid: [`${IDS.second.sub}-7a`] }];
    const rules = rulesFor(first(one), second(other));
    expect(ignoredPaths(rules)).toEqual(["$.paid[*]"]);
    expect(stateDifferences(first(one), second({ paid: [`${IDS.second.sub}-c0`] }), rules)).toEqual([]);
    expect(stateDifferences(first(one), second({ paid: [] }), rules)).toHaveLength(1);
  });

  test("a list whose order differs by itself is compared as a set", () => {
    const rules = rulesFor(first({ tags: ["a", "b"] }), second({ tags: ["b", "a"] }));
    expect(ignoredPaths(rules)).toEqual(["$.tags (order)"]);
    expect(stateDifferences(first({ tags: ["a", "b"] }), first({ tags: ["b", "a"] }), rules)).toEqual([]);
    expect(stateDifferences(first({ tags: ["a", "b"] }), first({ tags: ["b", "b"] }), rules)).toHaveLength(1);
  });

  test("keys that a receiver draws itself are left out, and what is under them is compared", () => {
    const rules = rulesFor(
      first({ rows: { k1: { sub: IDS.first.sub, paid: 1 } } }),
      second({ rows: { k2: { sub: IDS.second.sub, paid: 1 } } }),
    );
    const baseline = first({ rows: { k1: { sub: IDS.first.sub, paid: 1 } } });
    expect(
      stateDifferences(baseline, second({ rows: { k3: { sub: IDS.second.sub, paid: 1 } } }), rules),
    ).toEqual([]);
    expect(
      stateDifferences(baseline, second({ rows: { k3: { sub: IDS.second.sub, paid: 2 } } }), rules),
    ).toEqual([{ path: "$.rows[0].paid", baseline: 1, found: 2 }]);
  });

  test("where everything differs by itself nothing is compared", () => {
    const rules = rulesFor(first({ at: 1 }), first({ at: 2 }));
    expect(isCompared(first({ at: 1 }), rules)).toBe(false);
    expect(isCompared(first({ at: 1, status: "paid" }), rules)).toBe(true);
    expect(isCompared(first(7), rulesFor(first(7), first(8)))).toBe(false);
  });
});

describe("differences", () => {
  test("items with names are paired by them, in whatever order", () => {
    const baseline = first([
      { id: IDS.first.sub, status: "ACTIVE" },
      { id: IDS.first.charge, status: "PAID" },
    ]);
    const found = second([
      { id: IDS.second.charge, status: "OPEN" },
      { id: IDS.second.sub, status: "ACTIVE" },
    ]);
    expect(stateDifferences(baseline, found)).toEqual([
      { path: "$[1].status", baseline: "PAID", found: "OPEN" },
    ]);
  });

  test("a second row with the same name is one too many", () => {
    const row = { id: IDS.first.sub, amount: 5 };
    expect(stateDifferences(first([row]), first([row, row]))).toEqual([
      { path: "$[1]", baseline: undefined, found: { id: "sub.id", amount: 5 } },
    ]);
  });

  test("the order of a list whose items are alike counts", () => {
    const state = (history: string[]): NamedState => first({ history });
    expect(stateDifferences(state(["ACTIVE", "CANCELED"]), state(["CANCELED", "ACTIVE"]))).toHaveLength(2);
  });

  test("paths are JSON paths, and what is not there is undefined", () => {
    const baseline = first({ charges: { "charge-1": { status: "paid" } }, note: "x" });
    const found = first({ charges: { "charge-1": { status: "scheduled" }, "charge-2": {} } });
    expect(stateDifferences(baseline, found)).toEqual([
      { path: '$.charges["charge-1"].status', baseline: "paid", found: "scheduled" },
      { path: '$.charges["charge-2"]', baseline: undefined, found: {} },
      { path: "$.note", baseline: "x", found: undefined },
    ]);
  });
});

describe("ignored paths", () => {
  test("what a JSONPath selects is left out, from lists too", () => {
    const state = first({ log: [1, 2, 3], members: { [IDS.first.sub]: { seenAt: 1, status: "A" } } });
    const paths = ["$.log[*]", "$.members[*].seenAt", "$.nothing"].map(accepted);
    expect(withoutIgnored(state, paths).value).toEqual({ log: [], members: { "sub.id": { status: "A" } } });
  });

  test("what is not a JSONPath is refused with a sentence", () => {
    expect(readIgnoredPath("seenAt")).toEqual({ mistake: expect.stringContaining("is not a JSONPath") });
  });
});
