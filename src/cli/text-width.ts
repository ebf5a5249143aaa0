import { stripVTControlCharacters } from "node:util";

// The package has a default export.
// oxlint-disable-next-line import/no-default-export
export { textWidth as default };

/**
 * How many columns a text of the command line takes. A build has it in place of the package `string-width`, which
 * reads the tables of all emoji at every start: our texts are English.
 */
function textWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}
