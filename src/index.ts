/** sandbank as a library: a whole sandbox in your process, for tests. */
export { createSandbox } from "./sandbox.ts";
export { OptionMistake } from "./sandbox-options.ts";
export type { Sandbox, SandboxObject } from "./sandbox-interface.ts";
export type { SandboxOptions } from "./sandbox-options.ts";
