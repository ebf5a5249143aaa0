import { expect, test } from "vitest";
import fc from "fast-check";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { basename } from "node:path";
import { folderWith } from "./scenario-files.ts";
import { createUserFile, decodedPieces, readUserFile, replaceUserFile } from "../../src/base/user-file.ts";
import { mergedPact, pactText } from "../../src/contracts/generation/pact-json.ts";
import { sandbank } from "./command.ts";
import { withMembers } from "../../src/cli/package-members.ts";
import { writeCalibration } from "../../src/cli/calibrated-config.ts";
import { writeMerged, writeOutput } from "../../src/cli/output.ts";

const encodings = fc.constantFrom("utf8", "utf8 marked", "utf16le marked", "utf16be marked");

/** The bytes of a text as an editor or a shell saves them. */
function saved(text: string, encoding: string): Buffer {
  const [name, mark] = encoding.split(" ");
  const whole = (mark === undefined ? "" : "\uFEFF") + text;
  if (name === "utf8") return Buffer.from(whole, "utf8");
  const bytes = Buffer.from(whole, "utf16le");
  return name === "utf16le" ? bytes : bytes.swap16();
}

const words = fc.stringMatching(/^[a-z"$%&\u00e9\u4e2d]{0,12}$/);
const texts = fc.array(words, { minLength: 1 }).map((lines) => `{${lines.join("\n")}`);

/** All content below a folder, by name. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "utf8")]),
  );
}

test("a file keeps its encoding when its text is replaced, and no other file is left", () => {
  using folder = folderWith({});
  fc.assert(
    fc.property(texts, texts, encodings, (before, after, encoding) => {
      writeFileSync(folder.at("file"), saved(before, encoding));
      const read = readUserFile(folder.at("file"));
      expect(read.text).toBe(before);
      replaceUserFile(read, after);
      expect(readFileSync(folder.at("file"))).toEqual(saved(after, encoding));
      expect(readdirSync(folder.at("."))).toEqual(["file"]);
    }),
  );
});

test("a long file in pieces has the text of the whole file", async () => {
  await fc.assert(
    fc.asyncProperty(texts, encodings, fc.integer({ min: 1, max: 9 }), async (text, encoding, size) => {
      const bytes = saved(text, encoding);
      async function* pieces() {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      }
      let read = "";
      for await (const piece of decodedPieces(pieces())) read += piece;
      expect(read).toBe(text);
    }),
  );
});

test("a file that changed since it was read stays, and so does one with bytes that are not text", () => {
  using folder = folderWith({ changed: "a", latin: "" });
  const read = readUserFile(folder.at("changed"));
  writeFileSync(folder.at("changed"), "the user's");
  expect(() => replaceUserFile(read, "b")).toThrow("another program has changed it");
  writeFileSync(folder.at("latin"), Buffer.from([0x61, 0xe9, 0x62]));
  expect(() => replaceUserFile(readUserFile(folder.at("latin")), "b")).toThrow("not UTF-8");
  expect(readFileSync(folder.at("latin"))).toEqual(Buffer.from([0x61, 0xe9, 0x62]));
  expect(createUserFile(folder.at("changed"), "new")).toBe(false);
  expect(contents(folder.at("."))).toMatchObject({ changed: "the user's" });
});

const reports = fc.constantFrom(
  '{ "passed": 1, "failed": 0, "skipped": 0, "scenarios": [] }\n',
  '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sandbank"></testsuites>\n',
  "✓ A member pays first.yaml\n\n1 passed.\n",
  "TAP version 14\n1..0\n",
  "## sandbank: 1 passed\n",
);
const foreign = fc.oneof(
  texts,
  fc.constantFrom('{ "name": "gym", "version": "1" }', "# Notes\n", "- a\n", "<?xml?>", "a: 1\n"),
);

test("a report replaces an earlier report of its form, and keeps all other content under another name", async () => {
  await fc.assert(
    fc.asyncProperty(foreign, reports, encodings, async (before, report, encoding) => {
      using folder = folderWith({});
      writeFileSync(folder.at("out"), saved(before, encoding));
      await writeOutput(report, folder.at("out"));
      await writeOutput(report.replace(/1(?!4)/, "2"), folder.at("out"));
      expect(readFileSync(folder.at("out"), "utf8")).toBe(report.replace(/1(?!4)/, "2"));
      expect(readdirSync(folder.at("."))).toEqual(["out", "out.old"]);
      expect(readFileSync(folder.at("out.old"))).toEqual(saved(before, encoding));
    }),
    { numRuns: 40 },
  );
});

const jsonKeys = fc.constantFrom("name", "version", "a{b", 'q"x', "é", "test", "scripts ", "n[0]");
const jsonTexts = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("12345678901234567890", "1.50", "1e5", "true", "null", '"a: {\\"}"', "[ ]", "{}"),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(jsonKeys, { maxLength: 4 }),
      fc.array(tie("value"), { minLength: 4, maxLength: 4 }),
      fc.constantFrom("", " ", "\n\t", "\r\n  "),
    )
    .map(([keys, values, blank]) => {
      const members = keys.map((key, at) => `${blank}${JSON.stringify(key)}: ${values[at]}`);
      return `{${members.join(",")}${keys.length === 0 ? "" : blank.replace(/(?<=\n).*/, "")}}`;
    }),
}));
const packages = fc
  .tuple(jsonTexts.object, fc.constantFrom(undefined, "{}", '{ "test": "vitest" }', '{\r\n  "x": "y"\r\n}'))
  .map(([object, scripts]) =>
    scripts === undefined
      ? object
      : object.replace(/\}$/, `${object === "{}" ? "" : ","}"scripts": ${scripts}}`),
  );

test("scripts are added to a package.json, and each of its other characters stays", () => {
  fc.assert(
    fc.property(packages, (before) => {
      const after = withMembers(before, "scripts", { "sandbank:run": "sandbank run scenarios" });
      const json = JSON.parse(before) as { scripts?: object };
      expect(JSON.parse(after)).toEqual({
        ...json,
        scripts: { ...json.scripts, "sandbank:run": "sandbank run scenarios" },
      });
      // The old text is the new one without what was added in one place.
      let same = 0;
      while (same < before.length && before[same] === after[same]) same++;
      const rest = before.slice(same).replace(/\s+/g, "");
      expect(after.replace(/\s+/g, "").endsWith(rest)).toBe(true);
      const isWindows = before.includes("\r\n") && !/[^\r]\n/.test(before);
      expect(isWindows && /[^\r]\n/.test(after)).toBe(false);
    }),
  );
});

test("init --scripts keeps line ends and numbers, and refuses a package.json that is not an object", async () => {
  using folder = folderWith({
    "package.json":
      '{\r\n    "name": "gym",\r\n    "big": 12345678901234567890,\r\n    "files": ["a",  "b"]\r\n}\r\n',
  });
  expect((await sandbank("init", folder.at("."), "--scripts")).code).toBe(0);
  expect(readFileSync(folder.at("package.json"), "utf8")).toBe(
    '{\r\n    "name": "gym",\r\n    "big": 12345678901234567890,\r\n    "files": ["a",  "b"],\r\n    "scripts": {\r\n        "sandbank:serve": "sandbank serve",\r\n        "sandbank:run": "sandbank run scenarios"\r\n    }\r\n}\r\n',
  );
  for (const wrong of ["[1]", '"x"', "null", '{ "scripts": [] }']) {
    writeFileSync(folder.at("package.json"), wrong);
    const { code, err } = await sandbank("init", folder.at("."), "--scripts");
    expect([code, err]).toEqual([2, expect.stringContaining("not an object")]);
    expect(readFileSync(folder.at("package.json"), "utf8")).toBe(wrong);
  }
});

const observed = {
  head: ["# From the traffic in a.har, by sandbank calibrate."],
  values: [
    { id: "refund.delay", value: "PT12S", evidence: "2 observations; assumed PT5S" },
    {
      id: "webhook.retry-intervals",
      value: ["PT1M", "PT2M", "PT3M", "PT4M"],
      evidence: "3 observations; assumed PT1M",
    },
  ],
  left: ["# Not set:", "# payout.ted-delay: at most PT3M (1 observation; assumed PT5M)"],
};
const settings = fc.uniqueArray(
  fc.constantFrom(
    "# a remark",
    "frozen: true",
    "seed:   7 # mine",
    "checks: { receiver: 'http://127.0.0.1/' }",
    "unknown: [1,\n  2]",
  ),
  { maxLength: 4 },
);
const sections = fc.constantFrom(
  "",
  "assumptions:\n",
  "assumptions: {}\n",
  "assumptions:\n  # why\n  charge.resend-delay: PT20M # mine\n",
  "assumptions:\n    refund.delay:   PT1S # mine\n    charge.resend-delay: PT20M\n",
  "assumptions: { charge.resend-delay: PT20M }\n",
  "assumptions:\n  webhook.retry-intervals:\n    - PT9M\n    - PT8M\n  refund.delay: PT1S\n",
);

test("calibrate --config sets the observed values, and keeps each other line and setting of the file", async () => {
  await fc.assert(
    fc.asyncProperty(
      settings,
      sections,
      settings,
      encodings,
      fc.boolean(),
      async (above, section, below, encoding, isWindows) => {
        const others = below.filter((line) => !above.includes(line));
        const lines = `${above.map((line) => `${line}\n`).join("")}${section}${others.map((line) => `${line}\n`).join("")}`;
        const before = isWindows ? lines.replaceAll("\n", "\r\n") : lines;
        using folder = folderWith({});
        writeFileSync(folder.at("config.yaml"), saved(before, encoding));
        for (const times of [1, 2]) {
          await writeCalibration(folder.at("config.yaml"), observed);
          const { text, bytes } = readUserFile(folder.at("config.yaml"));
          expect(bytes.equals(saved(text, encoding)), `write ${times}`).toBe(true);
          const after = parse(text) as { assumptions: object };
          const was = (parse(before) ?? {}) as { assumptions?: object };
          expect(after).toEqual({
            ...was,
            assumptions: {
              ...was.assumptions,
              "refund.delay": "PT12S",
              "webhook.retry-intervals": ["PT1M", "PT2M", "PT3M", "PT4M"],
            },
          });
          const kept = before.split(/\r?\n/).filter((line) => !/refund|retry|assumptions|PT[98]M/.test(line));
          for (const line of kept) expect(text.split(/\r?\n/)).toContain(line);
          expect(text.match(/Not set:/g)).toHaveLength(1);
        }
      },
    ),
  );
});

test("calibrate --config refuses a file whose assumptions it cannot change alone", async () => {
  const aliased = "checks: &x { receiver: a }\nassumptions: *x\n";
  for (const wrong of [aliased, "- a\n", "a: [\n", "assumptions: 3\n"]) {
    using folder = folderWith({ "config.yaml": wrong });
    await expect(writeCalibration(folder.at("config.yaml"), observed)).rejects.toThrow("Name another file.");
    expect(contents(folder.at("."))).toEqual({ "config.yaml": wrong });
  }
});

const ownPact = JSON.parse(pactText("gym", "sandbank", [])) as object;
const own = (description: string) => ({
  description,
  comments: { references: { scenario: { file: "a.yaml" } } },
});

test("a generated pact replaces its own interactions, and keeps those of others and all else", async () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(names, names, names, encodings, async (theirs, earlier, now, encoding) => {
      using folder = folderWith({});
      const file = folder.at("pact.json");
      const found = {
        ...ownPact,
        interactions: [...theirs.map((description) => ({ description, pending: true })), ...earlier.map(own)],
        "x-other": { big: "BIG" },
      };
      const before = JSON.stringify(found).replace('"BIG"', "12345678901234567890");
      writeFileSync(file, saved(before, encoding));
      await writeMerged(JSON.stringify({ ...ownPact, interactions: now.map(own) }), file, mergedPact);
      const { text } = readUserFile(file);
      expect(text).toContain("12345678901234567890");
      const { interactions } = JSON.parse(text) as {
        interactions: { pending?: boolean; description: string }[];
      };
      const named = (isOwn: boolean) =>
        interactions
          .filter(({ pending }) => (pending === undefined) === isOwn)
          .map(({ description }) => description);
      expect([named(true).sort(), named(false).sort()]).toEqual([now.toSorted(), theirs.toSorted()]);
      expect(readdirSync(folder.at(".")).map((path) => basename(path))).toEqual(["pact.json"]);
    }),
    { numRuns: 25 },
  );
});

test("a file that is not a pact of the same systems is kept under another name", async () => {
  for (const before of ["{}", "not JSON", '{ "name": "gym" }']) {
    using folder = folderWith({ "pact.json": before });
    await writeMerged(JSON.stringify(ownPact), folder.at("pact.json"), mergedPact);
    expect(contents(folder.at("."))).toEqual({
      "pact.json": JSON.stringify(ownPact),
      "pact.json.old": before,
    });
  }
});

test.each(["utf8 marked", "utf16le marked", "utf16be marked", "utf16le"])(
  "scenarios, configurations and bodies in %s are read",
  async (encoding) => {
    using folder = folderWith({});
    const scenario = readFileSync("scenarios/subscriptions/accepted.yaml", "utf8");
    writeFileSync(folder.at("scenario.yaml"), saved(scenario, encoding));
    expect(await sandbank("run", folder.at("scenario.yaml"))).toMatchObject({ code: 0, err: "" });
    writeFileSync(folder.at("config.yaml"), saved("seed: 99\n", encoding));
    const { out } = await sandbank("config", "--config", folder.at("config.yaml"));
    expect(out).toMatch(/^seed +99 /m);
  },
);

test("record keeps the traffic of an earlier session under another name", async () => {
  await fc.assert(
    fc.asyncProperty(foreign, encodings, async (before, encoding) => {
      using folder = folderWith({});
      writeFileSync(folder.at("session.har"), saved(before, encoding));
      // Both ports are one, so the command ends at once.
      const words = ["--upstream", "http://127.0.0.1:9", "--webhooks-to", "http://127.0.0.1:9/w"];
      const ports = ["--port", "1", "--webhook-port", "1"];
      const { code } = await sandbank("record", ...words, ...ports, "--out", folder.at("session.har"));
      expect(code).toBe(1);
      expect(readFileSync(folder.at("session.har.old"))).toEqual(saved(before, encoding));
    }),
    { numRuns: 10 },
  );
});
