import type { CallFaultListener } from "../interface/call-faults.ts";
import type { Sandbox } from "./sandbox-interface.ts";
import type { SandboxOptions } from "../settings/sandbox-options.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";

/**
 * Opens a sandbox in this process and gives access to its worlds. Tools get this function as an argument, because the
 * sandbox itself serves tools. `onCallFault` gets the calls that faults affect.
 */
export type OpenSandbox = (
  options?: SandboxOptions,
  onCallFault?: CallFaultListener,
) => Promise<{ readonly sandbox: Sandbox; readonly worlds: Worlds }>;
