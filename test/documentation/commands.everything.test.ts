import { expect, test } from "vitest";
import { globSync } from "node:fs";
import { type Block, blocksOf } from "./page.ts";
import { expectAnswer, printedPattern } from "./answer.ts";
import { Terminal } from "./terminal.ts";

/** Blocks that are not run here, by what they hold, and why. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/\bnpm (ci|install)\b/, "the tests run where that is done, and .ci/run does it from a clean clone"],
  [/\bnpm test\b/, "that is what runs this"],
  [/\bnpm run check\b/, "it takes as long as the tests; .ci/run runs it before them"],
  [/\bnpm run (build|bench)\b/, "test/package.everything.test.ts builds; what bench measures takes minutes"],
  [/\bcertify\b/, "it takes a receiver that has run; test/cli/certify.everything.test.ts does so"],
  [/\bpytest\b/, "it takes Python; test/python.everything.test.ts runs it where that is there"],
  [/\bgo test\b/, "it takes Go; languages.everything.test.ts runs it where that is there"],
  [/127\.0\.0\.1:8080/, "it takes the receiver of a reader; test/cli/explore.slow.test.ts has one"],
  [/\bjava\b/, "it takes a JDK; languages.everything.test.ts runs it where that is there"],
  [
    /\b(openapi-(typescript|ts|generator-cli)|oapi-codegen|kiota)\b/,
    "generators come from registries; test/outside has two of them",
  ],
  [/\bvitest run\b/, "these tests are run with all the others"],
  [
    /\b(docker|kubectl|test:containers)\b/,
    "it takes an engine; the image is rehearsed by itself, and test/image.test.ts reads its files",
  ],
  [/\bcontracts publish\b/, "it takes a broker; test/contracts/broker.slow.test.ts has one"],
  [/\bsource <\(/, "it changes the shell it is typed into; test/cli/completion.everything.test.ts does so"],
];

const START = "sandbank serve --frozen --start 2026-11-20T09:00:00-03:00";

const pages = [
  "README.md",
  "README.pt-BR.md",
  "CONTRIBUTING.md",
  ...globSync("docs/**/*.md"),
  ...globSync("examples/**/README.md"),
];
const written = pages.map((page) => ({ page, blocks: blocksOf(page) }));

function isRun({ language, text }: Block): boolean {
  return language === "sh" && !NOT_RUN.some(([pattern]) => pattern.test(text));
}

/** Reads a page as a newcomer does, and gives the first thing that is not as the page says. */
async function firstProblem(page: string, blocks: readonly Block[]): Promise<string | undefined> {
  await using terminal = new Terminal();
  for (const [index, block] of blocks.entries()) {
    try {
      await follow(terminal, block, answerTo(index, blocks));
    } catch (error) {
      return `${page}:${block.line}\n${block.text}${(error as Error).message}`;
    }
  }
  return undefined;
}

async function follow(terminal: Terminal, block: Block, answer: Block | undefined): Promise<void> {
  const { language, isServer, text, title } = block;
  if (title !== undefined) terminal.write(title, text);
  else if (isRun(block)) await (isServer ? terminal.start(text) : runBlock(terminal, text, answer));
  else if (language === "text" && isServer)
    await terminal.waitForPrinted(printedPattern(terminal.translated(text)));
}

async function runBlock(terminal: Terminal, commands: string, answer: Block | undefined): Promise<void> {
  if (commands.includes("4010") && !terminal.listensFor("4010")) await terminal.start(START);
  const { code, out, err } = await terminal.run(commands);
  if (code !== 0) throw new Error(`It ended with ${code}:\n${out}${err}`);
  if (answer !== undefined) expectAnswer(terminal.translated(answer.text), out, answer.language);
}

/** The block that shows what a command answers stands right under it. */
function answerTo(index: number, blocks: readonly Block[]): Block | undefined {
  const next = blocks[index + 1];
  const isAnswer = next?.follows === true && !next.isServer && ["json", "text"].includes(next.language);
  return isAnswer ? next : undefined;
}

test.concurrent.each(written.filter(({ blocks }) => blocks.some(isRun)))(
  "the commands of $page do what the page says",
  { timeout: 600_000 },
  async ({ page, blocks }) => {
    expect(await firstProblem(page, blocks)).toBeUndefined();
  },
);

test("every reason not to run a command is needed", () => {
  const texts = written.flatMap(({ blocks }) => blocks.map(({ text }) => text));
  expect(NOT_RUN.filter(([pattern]) => !texts.some((text) => pattern.test(text)))).toEqual([]);
});
