import { registerHooks } from "node:module";

const SOURCES = new URL("../src/index.ts", import.meta.url).href;

// Examples import the package by its name, as projects that copy them do.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "sandbank" ? SOURCES : specifier, context),
});
