import { runCommandLine } from "../src/cli/command-line.ts";

/** Writes both documents in both versions to build/openapi, where the check of the documents reads them. */
for (const version of ["3.1", "3.0"])
  for (const [name, flags] of [
    ["interface", []],
    ["sandbox", ["--sandbox"]],
  ] as const)
    await runCommandLine([
      "openapi",
      ...flags,
      "--version",
      version,
      "--out",
      `build/openapi/${name}-${version}.json`,
    ]);
