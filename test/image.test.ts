import { expect, test } from "vitest";
import { parse } from "yaml";
import { readFileSync } from "node:fs";
import { settingNames, settings, variableOf } from "../src/settings.ts";
import { readConfiguration } from "../src/cli/config.ts";

interface Service {
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

const compose = parse(readFileSync("examples/compose.yaml", "utf8")) as {
  services: { sandbank: Service; receiver: Service };
  volumes: Readonly<Record<string, unknown>>;
};
const workflow = parse(readFileSync("examples/ci-service.yaml", "utf8")) as {
  jobs: { contract: { services: { sandbank: Service } } };
};
const dockerfile = readFileSync("Dockerfile", "utf8");
const variables = Object.fromEntries(
  Array.from(dockerfile.matchAll(/\b(SANDBANK_\w+)=(\S+)/g), ([, name = "", value = ""]) => [name, value]),
);

const places: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["the image", variables],
  ["the compose file", compose.services.sandbank.environment ?? {}],
  ["the CI service", workflow.jobs.contract.services.sandbank.env ?? {}],
];

test.each(places)("every variable of %s is a setting, with a value that it takes", (_place, environment) => {
  const known = new Set(settingNames.map(variableOf));
  expect(Object.keys(environment)).not.toEqual([]);
  expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
  expect(() => readConfiguration({ flags: {}, environment })).not.toThrow();
});

test("the image, the compose file and the CI service agree on the port", () => {
  const port = settings.port.default;
  expect(dockerfile).toContain(`EXPOSE ${port}\n`);
  expect(compose.services.sandbank.ports).toEqual([`${port}:${port}`]);
  expect(workflow.jobs.contract.services.sandbank.ports).toEqual([`${port}:${port}`]);
});

test("the data of the compose file are in the image's volume", () => {
  const [, volume = ""] = /^VOLUME (\S+)$/m.exec(dockerfile) ?? [];
  expect(compose.services.sandbank.environment?.["SANDBANK_DATA"]).toMatch(new RegExp(`^${volume}/`));
  expect(compose.services.sandbank.volumes).toEqual([`${Object.keys(compose.volumes)[0]}:${volume}`]);
});

test("the image is built from files in its build context, and runs as a non-root user", () => {
  const allowed = readFileSync(".dockerignore", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, from = ""]) =>
    from.split(" "),
  ).flat();
  const reaches = (path: string) =>
    allowed.some(
      (one) => path === one || (one.includes("*") && new RegExp(one.replace("*", ".*")).test(path)),
    );
  expect(copied.filter((path) => !reaches(path))).toEqual([]);
  const last = dockerfile.slice(dockerfile.lastIndexOf("FROM "));
  expect(last).toMatch(/^USER node$/m);
  expect(last).toMatch(/^HEALTHCHECK .*"health"\]$/m);
});
