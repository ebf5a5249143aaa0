// @ts-check
/**
 * Preact, its hooks and htm in one module. A browser gets the package's own file under this name (`dashboard.ts`), so
 * the page needs no build step and no import map; the type checker and the tests find it by the package's name.
 */
export * from "htm/preact/standalone";
