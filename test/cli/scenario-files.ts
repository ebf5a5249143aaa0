import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

/** A scenario whose one expectation does not hold. */
export const FAILING = `name: It expects too much
start: 2026-11-20T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    expect: { body: { status: ACCEPTED } }
`;

/** A scenario with three mistakes in its text. */
export const MISTAKEN = `name: It has three mistakes
steps:
  - call: createSubscripton
  - act: subscription.acept
    on: \${sub.id}
`;

/** A new folder that holds these files, by name; `using` removes it again. */
export function folderWith(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return {
    at: (name: string) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
