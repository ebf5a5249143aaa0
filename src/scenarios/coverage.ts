/** A part of what there is to be covered, as `GET /sandbox/coverage` tells it. */
interface CoverageArea extends CoverageShare {
  readonly rows: readonly { readonly name: string; readonly count: number }[];
}

interface CoverageShare {
  readonly covered: number;
  readonly total: number;
  /** With one decimal, rounded down: 100 means all. */
  readonly percent: number;
}

/** Which transitions, events, error codes, assumptions and effects of faults were exercised. */
export interface CoverageReport extends CoverageShare {
  readonly areas: { readonly [area: string]: CoverageArea };
}

/** What several worlds covered together; undefined for none. */
export function mergeCoverage(reports: readonly CoverageReport[]): CoverageReport | undefined {
  const [first] = reports;
  if (first === undefined) return undefined;
  const areas = Object.keys(first.areas).map((area) => {
    const counts = new Map<string, number>();
    for (const { name, count } of reports.flatMap((report) => report.areas[area]?.rows ?? []))
      counts.set(name, (counts.get(name) ?? 0) + count);
    const rows = Array.from(counts, ([name, count]) => ({ name, count }));
    return [area, { ...shareOf(rows), rows }] as const;
  });
  return { ...shareOf(areas.flatMap(([, { rows }]) => rows)), areas: Object.fromEntries(areas) };
}

/** The report for a person: a line for each area, with what was left out below it. */
export function coverageLines({ areas, ...all }: CoverageReport): string[] {
  return [
    "Coverage",
    ...Object.entries(areas).flatMap(([area, { rows, ...share }]) => [
      shareLine(area, share),
      ...rows.filter(({ count }) => count === 0).map(({ name }) => `    not exercised: ${name}`),
    ]),
    shareLine("in all", all),
  ];
}

function shareLine(title: string, { covered, total, percent }: CoverageShare): string {
  return `  ${title.padEnd(12)} ${`${percent} %`.padStart(8)}  ${covered} of ${total}`;
}

function shareOf(rows: readonly { readonly count: number }[]): CoverageShare {
  const covered = rows.filter(({ count }) => count > 0).length;
  const percent = rows.length === 0 ? 100 : Math.floor((1000 * covered) / rows.length) / 10;
  return { covered, total: rows.length, percent };
}
