import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { sandbank } from "../cli/command.ts";
import { fakeBroker } from "./broker.ts";

const EXAMPLE = "examples/pact";

interface Pipeline {
  readonly jobs?: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  readonly [job: string]: unknown;
}

/** Returns the commands of sandbank in a pipeline, as words, with the values of its variables. */
function commandsIn(file: string, values: Readonly<Record<string, string>>): string[][] {
  const pipeline = parse(readFileSync(`${EXAMPLE}/${file}`, "utf8")) as Pipeline;
  const jobs = Object.values(pipeline) as { readonly script?: readonly string[] }[];
  const lines = [
    ...jobs.flatMap((job) => job?.script ?? []),
    ...Object.values(pipeline.jobs ?? {}).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? [])),
  ];
  return lines
    .filter((line) => line.startsWith("npx sandbank "))
    .map((line) =>
      line
        .trim()
        .split(" ")
        .slice(2)
        .map((word) => word.replaceAll(/"?\$(\w+)"?/g, (_, name: string) => values[name] ?? `no ${name}`)),
    );
}

test("the first contract of the page is the file of the examples, and its pact is verified", async () => {
  const file = `${EXAMPLE}/shop.test.ts`;
  expect(readFileSync("docs/contracts.md", "utf8")).toContain(
    `\`\`\`ts title="${file}"\n${readFileSync(file, "utf8")}\`\`\``,
  );
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  execFileSync(process.execPath, [vitest, "run", "--project", "slow", file], { stdio: "pipe" });
  const { code, out } = await sandbank("contracts", "verify", `${EXAMPLE}/pacts`);
  expect(out).toContain("✓ reads a balance");
  expect(code).toBe(0);
});

test.each(["github", "gitlab"])("the commands of the pipelines for %s work with a broker", async (host) => {
  const pact = JSON.parse(readFileSync(`${EXAMPLE}/pacts/shop-banking-service.json`, "utf8")) as object;
  await using broker = await fakeBroker(pact);
  const values = {
    PACT_BROKER: broker.url,
    PACT_BROKER_URL: broker.url,
    GITHUB_SHA: "c0ffee",
    CI_COMMIT_SHA: "c0ffee",
    BRANCH: "main",
    CI_COMMIT_REF_NAME: "main",
    CONSUMER: "shop",
  };
  const consumer = commandsIn(`consumer-${host}.yaml`, values);
  const provider = commandsIn(`provider-${host}.yaml`, values);
  expect([...consumer, ...provider].map(([, verb]) => verb)).toEqual(["verify", "publish", "verify"]);
  for (const words of [...consumer, ...provider]) {
    const here = words.map((word) =>
      word === "pacts" ? `${EXAMPLE}/pacts` : word.replace("junit=build/", "junit=build/test-"),
    );
    const { code, out, err } = await sandbank(...here);
    expect([words.join(" "), code, code === 0 ? "" : out + err]).toEqual([words.join(" "), 0, ""]);
  }
  expect(broker.requests.map(({ path }) => path)).toContain("/contracts/publish");
});
