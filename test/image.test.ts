import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { assertDefined } from "../src/simulator/engine/assertion.ts";
import { createSandbox } from "../src/library/sandbox.ts";
import { readFileSync } from "node:fs";
import { settingNames, settings, variableOf } from "../src/server/settings/settings.ts";
import { readConfiguration } from "../src/cli/config.ts";

interface Service {
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

interface SharedService extends Service {
  readonly command?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
  readonly stop_grace_period?: string;
  readonly configs?: readonly { readonly source: string }[];
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly livenessProbe: { readonly tcpSocket: { readonly port: string } };
}

type Labels = Readonly<Record<string, string>>;

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Selecting {
  readonly kind: string;
  readonly spec: { readonly minAvailable: number; readonly selector: { readonly matchLabels: Labels } };
}

interface ServiceManifest {
  readonly kind: string;
  readonly spec: {
    readonly selector: Labels;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

const compose = parse(readFileSync("examples/compose.yaml", "utf8")) as {
  services: { sandbank: Service; receiver: Service };
  volumes: Readonly<Record<string, unknown>>;
};
const workflow = parse(readFileSync("examples/ci-service.yaml", "utf8")) as {
  jobs: { contract: { services: { sandbank: Service } } };
};
const shared = parse(readFileSync("examples/shared/compose.yaml", "utf8"), { merge: true }) as {
  services: Readonly<Record<string, SharedService>>;
  configs: { caddyfile: { content: string } };
  volumes: Readonly<Record<string, unknown>>;
};
const [deployment, budget, service] = parseAllDocuments(
  readFileSync("examples/shared/kubernetes/sandbank.yaml", "utf8"),
).map((document) => document.toJS() as unknown) as [Deployment, Selecting, ServiceManifest];
const [container] = deployment.spec.template.spec.containers;
const dockerfile = readFileSync("Dockerfile", "utf8");
const variables = Object.fromEntries(
  Array.from(dockerfile.matchAll(/\b(SANDBANK_\w+)=(\S+)/g), ([, name = "", value = ""]) => [name, value]),
);

const places: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["the image", variables],
  ["the compose file", compose.services.sandbank.environment ?? {}],
  ["the shared compose file", shared.services["sandbank-1"]?.environment ?? {}],
  [
    "the Kubernetes manifests",
    Object.fromEntries(
      container.env
        .filter(({ name }) => name.startsWith("SANDBANK_"))
        .map(({ name, value }) => [
          name,
          value?.replace("$(POD_IP)", "10.0.0.1") ?? "postgres://sandbank@database/sandbank",
        ]),
    ),
  ],
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
  expect(compose.services.sandbank.ports).toEqual([`127.0.0.1:${port}:${port}`]);
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

const sharedServers = Object.entries(shared.services).filter(([, { command }]) => command !== undefined);

/** What a server that is asked to stop takes at most: docs/shared.md says a lease and ten seconds. */
const STOP_S = 5 + 10;

test("the servers of the shared examples start with flags that there are, and have time to stop", async () => {
  expect(sharedServers.map(([name]) => name)).toEqual(["sandbank-1", "sandbank-2", "sandbank-3"]);
  for (const args of [container.args, ...sharedServers.map(([, { command = [] }]) => command)]) {
    const [command, ...flags] = args;
    expect(command).toBe("serve");
    for (const flag of flags) expect(settingNames).toContain(flag.replace(/^--/, ""));
  }
  for (const [, { stop_grace_period: grace = "" }] of sharedServers)
    expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(STOP_S);
  const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec;
  expect(containers).toHaveLength(1);
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(STOP_S);
});

test("the shared compose file names its own services, volumes and ports", async () => {
  const { services, configs, volumes } = shared;
  const port = settings.port.default;
  for (const { depends_on: needed = [] } of Object.values(services))
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
      expect(Object.keys(services)).toContain(name);
  expect(services["proxy"]?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(Object.keys(configs)).toEqual(services["proxy"]?.configs?.map(({ source }) => source));
  const { content } = configs.caddyfile;
  expect(content).toMatch(new RegExp(`^:${port} `));
  const targets = sharedServers.map(([name]) => `${name}:${port}`).join(" ");
  expect(content).toContain(`reverse_proxy ${targets} {`);
  const probed = assertDefined(/health_uri (\S+)/.exec(content)?.[1], "the path of the probe");
  await using sandbox = await createSandbox();
  await sandbox.listen();
  expect((await sandbox.fetch(probed)).status).toBe(200);
  expect((await sandbox.fetch(container.readinessProbe.httpGet.path)).status).toBe(200);
  const { hostname, port: databasePort } = new URL(
    services["sandbank-1"]?.environment?.["SANDBANK_DATA"] ?? "",
  );
  expect(Object.keys(services)).toContain(hostname);
  expect(databasePort).toBe("5432");
  expect(services[hostname]?.volumes?.[0]?.split(":")[0]).toBe(Object.keys(volumes)[0]);
});

test("the Kubernetes manifests select the pods of the deployment, and probe its port", () => {
  expect([deployment.kind, budget.kind, service.kind]).toEqual([
    "Deployment",
    "PodDisruptionBudget",
    "Service",
  ]);
  const { replicas, selector, template } = deployment.spec;
  const { labels } = template.metadata;
  expect([selector.matchLabels, budget.spec.selector.matchLabels, service.spec.selector]).toEqual([
    labels,
    labels,
    labels,
  ]);
  expect(budget.spec.minAvailable).toBeLessThan(replicas);
  const [{ name, containerPort }] = container.ports as [Container["ports"][number]];
  expect(containerPort).toBe(settings.port.default);
  expect([container.readinessProbe.httpGet.port, container.livenessProbe.tcpSocket.port]).toEqual([
    name,
    name,
  ]);
  expect(service.spec.ports).toEqual([{ name, port: containerPort, targetPort: name }]);
  const given = container.env.map((variable) => variable.name);
  const advertised = container.env.find((variable) => variable.name === "SANDBANK_ADVERTISE");
  expect(advertised?.value).toBe(`http://$(POD_IP):${containerPort}`);
  expect(given.indexOf("POD_IP"), "Kubernetes replaces only variables before").toBeLessThan(
    given.indexOf("SANDBANK_ADVERTISE"),
  );
});

test("the image names its version and runs under any user id of the group 0", () => {
  const { version, license } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, string>;
  expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
  expect(dockerfile).toContain(`org.opencontainers.image.licenses="${license}"`);
  expect(dockerfile).toMatch(/chown node:0 \/data \/home\/node && chmod g=u \/data \/home\/node/);
  expect(dockerfile).toMatch(/ENV .*\bHOME=\/home\/node\b/);
});
