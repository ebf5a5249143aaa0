import { outdatedNode } from "./package.ts";

// Throws the same sentence as the command line. The library imports this module before all others.
const problem = outdatedNode(process.versions.node);
if (problem !== undefined) throw new Error(problem);
