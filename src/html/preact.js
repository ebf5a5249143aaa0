// @ts-check
/**
 * Preact, its hooks and htm in one module. A browser gets one file of the package htm under this name
 * (`pages/dashboard.ts`), so the pages need no build step and no import map.
 */
export { html, render } from "htm/preact";
export * from "preact/hooks";
