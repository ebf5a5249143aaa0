/** The catalog of the platform as data: what can be looked up, what can be planned, and which statuses follow. */
export { acts, collections, lifecycles, steps } from "../platform/catalog.ts";
