/** sandbank as a library: a whole sandbox in your process, for tests. */
export { createSandbox } from "./sandbox.ts";
export { OptionMistake } from "./settings.ts";
export type { Sandbox, SandboxObject, SandboxOptions } from "./sandbox-interface.ts";
export type { LoggedRequest } from "./worlds/request-log.ts";
