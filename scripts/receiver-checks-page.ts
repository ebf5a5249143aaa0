import { catalogue } from "../src/checks/receiver/run-checks.ts";

/** The groups by the letter of their ids, in the order of the page. */
const GROUPS: Readonly<Record<string, string>> = {
  B: "Every event",
  S: "The signature",
  R: "A change of the secret",
  I: "Copies",
  E: "Order",
  T: "Failures and retries",
  X: "The network",
};

/** The content of docs/receiver-checks.md: each check of `sandbank receiver check`. */
export function receiverChecksPage(): string {
  const byLetter = Map.groupBy(catalogue, ({ id }) => id.slice(0, 1));
  const sections = Array.from(byLetter, ([letter, checks]) =>
    [
      `## ${GROUPS[letter] ?? letter}\n`,
      "| id | level | a right endpoint | fix |\n| --- | --- | --- | --- |",
      ...checks.map(({ id, level, title, fix }) => `| ${id} | ${level} | ${title} | ${fix} |`),
      "",
    ].join("\n"),
  );
  return `# Checks of a webhook endpoint

<!-- Generated from the checks by \`npm run generate\`. -->

\`sandbank receiver check URL\` runs these ${catalogue.length} checks. \`--only S1\` runs one of them. [Verify a webhook endpoint](contracts.md#verify-a-webhook-endpoint) explains the command and its flags.

The level says what a failure means: _must_ is about security and money and fails the command, _should_ is good practice and fails it with \`--level should\`, _info_ is a fact. A report often names a more exact fix than this page, because it knows the answers of your endpoint.

${sections.join("\n")}`;
}
