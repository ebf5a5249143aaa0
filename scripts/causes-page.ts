import { causeTexts } from "../src/checks/cause-texts.ts";

/** The content of docs/causes.md: each code of a cause, with its cause and its remedy. */
export function causesPage(): string {
  const table = Object.entries(causeTexts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([code, text]) => {
      const [cause = "", ...remedy] = text.split(/(?<=\.) /);
      return `| \`${code}\` | ${cause} | ${remedy.join(" ")} |`;
    });
  return `# Causes

\`explore\`, \`receiver check\`, \`certify\` and \`run\` name the likely cause of a finding. In JSON a cause has a fixed code: \`{code, text, evidence}\`. The text can change between versions, so compare the code. \`evidence\` has the observed facts. In \`receiver check\` a check of a state has one of these codes, and its text says what the check saw. Any other check has its id as its code. In \`run\` a replayed divergence and a difference of the books have a cause.

The facts of a finding exclude the other causes. If several causes remain, the code is \`event-lost\` or \`depends-on-order\`. [books.md](books.md) explains \`books-differ\`.

| code | cause | remedy |
| --- | --- | --- |
${table.join("\n")}
`;
}
