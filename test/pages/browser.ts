import { afterAll, beforeAll } from "vitest";
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Page,
  chromium,
} from "playwright-core";
import axe, { type Result } from "axe-core";

/** A page in a browser, with the errors that the browser reported. */
export interface BrowserPage extends AsyncDisposable {
  readonly page: Page;
  readonly errors: readonly string[];
}

const VIEWPORT = { width: 1200, height: 800 };

/**
 * A browser for the tests of a file, which run where SANDBANK_BROWSER names one, such as `/usr/bin/chromium`. Returns
 * the function that opens a page in it. A page with options is a new one. Tests without options use one page after
 * the other, because a new page takes half a second of processor time. Each sandbox has its own port, so the pages of
 * two tests share no storage.
 */
export function testBrowser(): (options?: BrowserContextOptions) => Promise<BrowserPage> {
  const executablePath = process.env["SANDBANK_BROWSER"] ?? "/usr/bin/chromium";
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
    });
  });
  afterAll(() => browser.close());
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: VIEWPORT, ...options });
    return context.newPage();
  };
  let shared: Page | undefined;
  return async function openBrowserPage(options = {}) {
    const isOwn = Object.keys(options).length > 0;
    const page = isOwn ? await newPage(options) : (shared ??= await newPage());
    const errors: string[] = [];
    const onConsole = (message: ConsoleMessage): void => {
      if (message.type() === "error") errors.push(message.text());
    };
    const onError = (error: Error): unknown => errors.push(error.message);
    page.on("console", onConsole).on("pageerror", onError);
    const leave = async (): Promise<void> => {
      page.off("console", onConsole).off("pageerror", onError);
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.unrouteAll();
      await page.mouse.move(0, 0);
      await page.setViewportSize(VIEWPORT);
      await page.emulateMedia({ colorScheme: null });
      await page.goto("about:blank");
    };
    return { page, errors, [Symbol.asyncDispose]: () => (isOwn ? page.context().close() : leave()) };
  };
}

/** Every rule of WCAG up to 2.2, levels A and AA, that a program can decide. */
const EVERY_RULE = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The rules that depend on the colours and on the width of the page; what the others find is the same in all of them. */
export const RULES_OF_LOOKS = ["color-contrast", "target-size"];

/**
 * Where the page as it is shown breaks a rule of WCAG 2.2 AA: each rule with its first elements, and what to change.
 * `rules` are the only ones to check, `except` those to leave out, and `within` selects the parts to check.
 */
export async function accessibilityViolations(
  page: Page,
  { rules, except = [], within }: Partial<Record<"rules" | "except" | "within", readonly string[]>> = {},
): Promise<string[]> {
  await page.evaluate(`typeof axe === "undefined" && (() => { ${axe.source} })()`);
  const context = within === undefined ? "document" : JSON.stringify({ include: within });
  const runOnly = rules === undefined ? EVERY_RULE : { type: "rule", values: rules };
  const left = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]));
  const violations = await page.evaluate<Result[]>(
    `axe.run(${context}, ${JSON.stringify({ runOnly, rules: left, resultTypes: ["violations"] })}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => {
    const places = nodes.slice(0, 4).map(({ target }) => target.join(" "));
    return `${id} at ${places.join(", ")} and ${nodes.length - places.length} others: ${nodes[0]?.failureSummary}`;
  });
}

/** By how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/**
 * Finds controls whose text does not fit, controls outside the window, and pairs of controls of one bar that overlap.
 * What `title` of an element says is not checked.
 */
export function misplacedControls(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = [];
    const shown = (selector) =>
      [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility() && !one.matches(".unseen, .skip"));
    const name = (one) => (one.textContent || one.getAttribute("aria-label") || "").trim().replace(/\\s+/g, " ").slice(0, 40);
    for (const one of shown("button, .button, .badge, h1, h2, h3")) {
      if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
        found.push("cut: " + name(one));
      if (one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll"))
        found.push("outside: " + name(one));
    }
    for (const bar of shown("#bar, .row, .choices, .buttons")) {
      const controls = [...bar.querySelectorAll("button, a, select, input")].filter((one) => one.checkVisibility());
      const boxes = controls.map((one) => one.getBoundingClientRect());
      boxes.forEach((box, index) => boxes.slice(index + 1).forEach((other, further) => {
        const isApart = box.right <= other.left + 1 || other.right <= box.left + 1 || box.bottom <= other.top + 1 || other.bottom <= box.top + 1;
        if (!isApart) found.push("overlap: " + name(controls[index]) + " and " + name(controls[index + 1 + further]));
      }));
    }
    const excess = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return excess > 0 ? [...found, "wider than the window by " + excess] : found;
  })()`);
}
