/** sandbank as a library: a whole sandbox in your process, for tests. */
export { createSandbox, OptionMistake } from "./sandbox.ts";
export type { Sandbox, SandboxObject, SandboxOptions } from "./sandbox.ts";
