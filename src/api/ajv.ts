import formats from "ajv-formats";

/** The compiler of JSON Schemas in a module of its own: a server that starts does not wait for it. */
export { Ajv2020 } from "ajv/dist/2020.js";
export const ajvFormats = formats.default;
