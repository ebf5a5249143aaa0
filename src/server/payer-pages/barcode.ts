import type { Markup } from "./page.ts";
import { assert } from "../../engine/assertion.ts";
import { html, raw } from "hono/html";

/** Which of the five bars of each digit are wide: interleaved 2 of 5, the symbology of bank slips. */
const WIDE = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
const WIDE_MODULES = 3;
const HEIGHT = 60;

/** A bank slip's barcode as bars: two digits at a time, one in the bars and one in the spaces between them. */
export function barcodeImage(digits: string): Markup {
  assert(/^(\d\d)+$/.test(digits), "a barcode has an even number of digits");
  const modules = [1, 1, 1, 1];
  for (let place = 0; place < digits.length; place += 2) {
    const bars = WIDE[Number(digits[place])]!;
    const spaces = WIDE[Number(digits[place + 1])]!;
    for (let bar = 0; bar < 5; bar++) modules.push(width(bars[bar]), width(spaces[bar]));
  }
  modules.push(WIDE_MODULES, 1, 1);
  let x = 0;
  let path = "";
  for (const [index, size] of modules.entries()) {
    if (index % 2 === 0) path += `M${x} 0h${size}v${HEIGHT}h-${size}z`;
    x += size;
  }
  return html`<svg
    class="bars"
    viewBox="0 0 ${x} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="Barcode ${digits}"
  >
    ${raw(`<path d="${path}" fill="#000" shape-rendering="crispEdges"/>`)}
  </svg>`;
}

function width(mark: string | undefined): number {
  return mark === "1" ? WIDE_MODULES : 1;
}
