/**
 * The catalog of the platform as data: the collections, the steps to plan, and the statuses that follow each other.
 */
export { acts, collections, lifecycles, steps } from "../platform/catalog.ts";
