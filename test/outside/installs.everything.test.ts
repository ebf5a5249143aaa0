import { beforeAll, describe, expect, inject, test } from "vitest";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { emptyProject, installWithNpm, outside, removedLater, run } from "./consumer.ts";

/** Each package manager sees only what a package declares: none of these installs hoists. */
const MANAGERS = {
  "npm with linked packages": {
    install: (folder: string) => installWithNpm(folder, "--install-strategy=linked"),
    command: ["npx", "--no", "sandbank"],
    node: ["node"],
    files: {},
  },
  "pnpm without hoisting": {
    install: (folder: string, env: Variables) =>
      run(outside(".bin/pnpm"), ["add", inject("tarball")], { cwd: folder, env }),
    command: ["pnpm", "exec", "sandbank"],
    node: ["node"],
    files: { "pnpm-workspace.yaml": "hoist: false\n" },
  },
  "Yarn with Plug'n'Play": {
    install: (folder: string, env: Variables) =>
      run(outside(".bin/yarn"), ["add", `sandbank@file:${inject("tarball")}`], { cwd: folder, env }),
    command: ["yarn", "sandbank"],
    node: ["yarn", "node"],
    files: { "yarn.lock": "" },
  },
} as const;

type Variables = Readonly<Record<string, string>>;

const LIBRARY = `import { createSandbox } from "sandbank";
await using sandbox = await createSandbox({ seed: 7 });
for (const path of ["/dashboard/main.js", "/html/preact.js", "/docs/reference.css"])
  process.stdout.write(\`\${(await sandbox.fetch(path)).status} \`);
`;

async function npmSetting(name: string): Promise<string> {
  return (await run("npm", ["config", "get", name])).trim();
}

let env: Variables;
beforeAll(async () => {
  const authority = await npmSetting("cafile");
  env = {
    PATH: [dirname(process.execPath), outside(".bin"), process.env["PATH"]].join(delimiter),
    // Yarn does not read the settings of npm.
    YARN_NPM_REGISTRY_SERVER: await npmSetting("registry"),
    ...(authority !== "null" && { YARN_HTTPS_CA_FILE_PATH: authority }),
    YARN_ENABLE_TELEMETRY: "0",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
  };
});

describe.each(Object.entries(MANAGERS))("%s", (_, { install, command, node, files }) => {
  test("installs the package, which runs, serves, verifies and is a library", async () => {
    const folder = removedLater(emptyProject());
    const within = { cwd: folder, env };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await install(folder, env);
    const sandbank = (...args: readonly string[]) => run(command[0], [...command.slice(1), ...args], within);

    expect(await sandbank("init")).toContain(
      `  ${command.filter((word) => word !== "--no").join(" ")} run scenarios`,
    );
    expect(await sandbank("run", "scenarios")).toContain("1 passed.");
    await sandbank("contracts", "generate", "scenarios", "--out", "pacts");
    expect(await sandbank("contracts", "verify", "pacts/partner-banking-service.json")).toContain("passed");
    writeFileSync(join(folder, "library.mjs"), LIBRARY);
    expect(await run(node[0], [...node.slice(1), "library.mjs"], within)).toBe("200 200 200 ");

    const [program, ...words] = [...command, "serve", "--port", "0"];
    const server = spawn(program, words, { ...within, env: { ...process.env, ...env }, detached: true });
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const [url = ""] = /http:\/\/\S+/.exec(line.toString()) ?? [];
    expect((await fetch(`${url}/html/preact.js`)).status).toBe(200);
    process.kill(-(server.pid ?? 0), "SIGTERM");
    await once(server, "exit");
  });
});
