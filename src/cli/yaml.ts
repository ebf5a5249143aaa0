/** The reader of YAML in a module of its own: a command without a configuration file does not load it. */
export { parseDocument } from "yaml";
