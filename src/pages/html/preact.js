// @ts-check
/**
 * Preact, its hooks and htm in one module. A browser gets one file of the package htm under this name
 * (`pages/dashboard.ts`), so the pages need no build step and no import map.
 */
import htm from "htm";
import { h } from "preact";

export { render } from "preact";
export * from "preact/hooks";

/**
 * Not from `htm/preact`: that module imports preact, and the package htm does not declare it.
 * @type {(strings: TemplateStringsArray, ...values: any[]) => import("preact").VNode}
 */
export const html = /** @type {any} */ (htm).bind(h);
