import { causeTable } from "../src/checks/explore/cause-table.ts";

/** The content of docs/causes.md: each code of a cause, with its causes and remedies. */
export function causesPage(): string {
  const rows = Object.values(causeTable).map(({ code, text }) => {
    const [cause = "", ...remedy] = text.split(/(?<=\.) /);
    return { code, cause, remedy: remedy.join(" ") };
  });
  const byCode = Map.groupBy(rows, ({ code }) => code);
  const table = Array.from(byCode)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([code, own]) =>
      own.map(({ cause, remedy }, index) => `| ${index === 0 ? `\`${code}\`` : ""} | ${cause} | ${remedy} |`),
    );
  return `# Causes

\`explore\`, \`certify\` and a replayed divergence in \`run\` name the likely cause of a finding. In JSON a cause has a fixed code: \`{code, text, evidence}\`. The text can change between versions, so compare the code. \`evidence\` has the observed facts. In \`receiver check\` the code is the id of the check.

Two more codes have no fixed text: \`numbered-by-arrival\` (rows are numbered in the order of their events, and only these numbers differ) and \`books-differ\` (your sums and the ledger differ, see [books.md](books.md)).

| code | cause | remedy |
| --- | --- | --- |
${table.join("\n")}
`;
}
