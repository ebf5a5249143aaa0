import { type Judged, kindOfCause } from "./judging.ts";

interface Row {
  drawn: number;
  found: number;
  undecided: number;
  missed: number;
  sizes: Map<string, number>;
  right: number;
  lessExact: number;
  anothers: number;
  ofNone: number;
}

/** Writes the judgements as tables: truth against verdict, false alarms, and what came of each wrong value. */
export function tableOf(judged: readonly Judged[]): string {
  const tools = [...Map.groupBy(judged, ({ tool }) => tool)];
  return [
    "| tool | truth | partners | right | wrong | undecided |",
    "|---|---|---|---|---|---|",
    ...tools.flatMap(([tool, all]) =>
      [false, true].flatMap((isWrong) => {
        const of = all.filter(({ truth }) => truth.length > 0 === isWrong);
        const count = (verdict: string): number => of.filter((one) => one.verdict === verdict).length;
        if (of.length === 0) return [];
        const cells = [count("right"), count("wrong"), count("undecided")];
        return [`| ${tool} | ${isWrong ? "wrong" : "right"} | ${of.length} | ${cells.join(" | ")} |`];
      }),
    ),
    "",
    ...falseAlarms(judged),
    "",
    "| tool | wrong value | drawn alone | found | cause right | less exact | cause of another | cause of none | undecided | missed | by |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...tools.flatMap(([tool, all]) => valueRows(tool, all)),
    "",
    ...pairs(judged),
    "",
  ].join("\n");
}

/** Returns the judgements that accuse a right partner. */
export function accused(judged: readonly Judged[]): Judged[] {
  return judged.filter(({ truth, verdict }) => truth.length === 0 && verdict === "wrong");
}

function falseAlarms(judged: readonly Judged[]): string[] {
  const alarms = accused(judged).map(
    ({ tool, draw, found }) =>
      `FALSE ALARM ${tool} --seed ${Math.floor(draw.seed / 100_000)} --partner ${draw.seed % 100_000} (×${draw.factor}; ${Object.values(draw.values).join(", ")}): ${found.map(({ by, cause }) => `${by}: ${cause.slice(0, 90)}`).join(" | ")}`,
  );
  const rights = judged.filter(({ truth }) => truth.length === 0);
  return [`${alarms.length} false alarms among ${rights.length} judgements of right partners`, ...alarms];
}

function valueRows(tool: string, all: readonly Judged[]): string[] {
  const alone = all.filter(({ truth, draw }) => truth.length === 1 && draw.wrong.length === 1);
  const byValue = Map.groupBy(alone, ({ truth: [one] }) => `${one?.choice}: ${one?.value.name}`);
  return [...byValue]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([value, of]) => {
      const row = rowOf(of);
      const sizes = [...row.sizes].toSorted(([, one], [, other]) => other - one).slice(0, 3);
      const by = sizes.map(([name, count]) => `${name} ${count}`).join(", ");
      return `| ${tool} | ${value} | ${row.drawn} | ${row.found} | ${row.right} | ${row.lessExact} | ${row.anothers} | ${row.ofNone} | ${row.undecided} | ${row.missed} | ${by} |`;
    });
}

function rowOf(all: readonly Judged[]): Row {
  const row: Row = {
    drawn: all.length,
    found: 0,
    undecided: 0,
    missed: 0,
    sizes: new Map(),
    right: 0,
    lessExact: 0,
    anothers: 0,
    ofNone: 0,
  };
  for (const { verdict, found, truth } of all) {
    if (verdict === "right") row.missed += 1;
    if (verdict === "undecided") row.undecided += 1;
    if (verdict !== "wrong") continue;
    row.found += 1;
    const [first] = found;
    const by = first?.by.replace(/-\d+(?=-|$)/g, "") ?? "";
    row.sizes.set(by, (row.sizes.get(by) ?? 0) + 1);
    const kinds = found.map((one) => kindOfCause(one, truth));
    if (kinds[0] === "right") row.right += 1;
    else if (kinds[0] === "less exact") row.lessExact += 1;
    else if (kinds[0] === "another's") row.anothers += 1;
    else row.ofNone += 1;
  }
  return row;
}

/** Partners with two wrong values: found if one of them is. */
function pairs(judged: readonly Judged[]): string[] {
  return [
    ...Map.groupBy(
      judged.filter(({ draw }) => draw.wrong.length === 2),
      ({ tool }) => tool,
    ),
  ].map(([tool, all]) => {
    const { drawn, found, right, lessExact, anothers, ofNone, undecided, missed } = rowOf(all);
    return `${tool}, two wrong values: ${found} of ${drawn} found, ${undecided} undecided, ${missed} missed; first cause right ${right}, less exact ${lessExact}, of another ${anothers}, of none ${ofNone}`;
  });
}
