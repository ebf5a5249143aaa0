import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { headingId } from "../scripts/heading-id.ts";
import { pagesIn, wholeGuide } from "../src/pages/guide.ts";
import { posix } from "node:path";
import { renderMermaidSVG } from "beautiful-mermaid";

const page = (text: string, link: string) => ({ text, link });

/** A table fits its page: code in it wraps. A phone scrolls the table. */
const STYLE = `
.vp-doc td code { white-space: normal; overflow-wrap: anywhere; }
@media (min-width: 640px) { .vp-doc table { display: table; width: 100%; } }
`;

/**
 * The documentation as a site: `npm run docs:build` writes it to `build/site`. VitePress is in `test/outside`, so
 * `npm ci` leaves it out. The pages are README.md and those under `docs/` and `examples/`, as they are. A link between
 * pages that leads nowhere fails the build.
 */
export default {
  title: "sandbank",
  description: "A stateful local sandbox and contract-testing harness for a banking platform",
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, STYLE],
  ],
  outDir: "build/site",
  cacheDir: "build/site-cache",
  srcExclude: ["**/{node_modules,build,dist,test,src,fixtures,scenarios,schemas}/**"],
  rewrites: { "README.md": "index.md" },
  transformHtml: (code: string, _id: string, { page }: { readonly page: string }) =>
    isPortuguese(page) ? code.replace('<html lang="en-US"', '<html lang="pt-BR"') : code,
  vite: { build: { target: "es2022" }, optimizeDeps: { esbuildOptions: { target: "es2022" } } },
  buildEnd: ({ outDir }: { readonly outDir: string }) => writeGuide(outDir),
  markdown: {
    anchor: { slugify: headingId },
    config: (markdown: Markdown) => {
      markdown.core.ruler.push("links", adaptLinks);
      const { fence } = markdown.renderer.rules;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = "", content = "" } = tokens[index] ?? {};
        return info === "mermaid" ? diagram(content) : (fence?.(tokens, index, ...rest) ?? "");
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [page("Start", "/"), page("Changes", "/CHANGELOG")],
    sidebar: [
      {
        text: "Start",
        items: [
          page("What it is, and is not", "/"),
          page("How do I …", "/docs/how-do-i"),
          page("Install", "/docs/installing"),
          page("Stories", "/docs/stories"),
        ],
      },
      {
        text: "Test a flow",
        items: [
          page("A subscription and its charges", "/docs/flows/subscription"),
          page("A payout", "/docs/flows/payout"),
          page("A refund", "/docs/flows/refund"),
          page("A dispute or a return", "/docs/flows/dispute-or-return"),
          page("An order by PIX, card or boleto", "/docs/flows/order"),
          page("A claim of a PIX key", "/docs/flows/key-claim"),
          page("A token that expires", "/docs/flows/expired-token"),
        ],
      },
      {
        text: "My webhook endpoint",
        items: [
          page("What it must do", "/docs/webhooks"),
          page("All checks of an endpoint", "/docs/receiver-checks"),
          page("Webhooks on your machine", "/docs/listen"),
        ],
      },
      {
        text: "My tests",
        items: [
          page("In process: the library", "/docs/library"),
          page("Go", "/docs/go"),
          page("Java", "/docs/java"),
          page("Python", "/docs/python"),
          page("Other languages", "/docs/other-languages"),
          page("Generated clients", "/docs/clients"),
          page("Containers", "/docs/containers"),
          page("Testcontainers", "/examples/testcontainers/README"),
          page("Scenario files", "/docs/scenarios"),
          page("Jobs on the sandbox's clock", "/docs/one-clock"),
          page("A complete partner", "/examples/partner/README"),
          page("Pacts in a pipeline", "/examples/pact/README"),
          page("A gym in Python", "/examples/python/README"),
          page("A gym with its own jobs", "/examples/gym-with-jobs/README"),
        ],
      },
      {
        text: "Find what tests miss",
        items: [
          page("Explore", "/docs/explore"),
          page("Causes of findings", "/docs/causes"),
          page("Reconcile your sums", "/docs/books"),
          page("Doubt", "/docs/doubt"),
          page("Calibrate", "/docs/calibrate"),
          page("Check real traffic", "/docs/check-traffic"),
        ],
      },
      {
        text: "In CI",
        items: [
          page("A contract gate, reports, exit codes", "/docs/ci"),
          page("Pact", "/docs/contracts"),
          page("Certify", "/docs/certify"),
        ],
      },
      {
        text: "Operate",
        items: [
          page("Settings, data, bounds", "/docs/running"),
          page("Your own companies", "/docs/fixtures"),
          page("One sandbox for many", "/docs/shared"),
          page("On a cluster", "/examples/shared/README"),
          page("Coding agents", "/docs/agents"),
          page("Upgrade from 0.1", "/docs/upgrade"),
          page("Security", "/SECURITY"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("The sandbox API", "/docs/sandbox-api"),
          page("Scenario fields", "/docs/scenario-reference"),
          page("Faults", "/docs/faults"),
          page("Index of the scenarios", "/docs/scenario-index"),
          page("Lifecycles", "/docs/lifecycles"),
          page("Assumptions", "/docs/assumptions"),
          page("Glossary", "/docs/glossary"),
        ],
      },
      {
        text: "Assumptions by area",
        collapsed: true,
        items: [
          page("HTTP", "/docs/assumptions/http"),
          page("Authentication", "/docs/assumptions/authentication"),
          page("Payloads and idempotency", "/docs/assumptions/payloads-and-idempotency"),
          page("Subscriptions", "/docs/assumptions/subscriptions"),
          page("Cancellations", "/docs/assumptions/cancellations-of-subscriptions"),
          page("Charges", "/docs/assumptions/charges"),
          page("Transparent orders", "/docs/assumptions/transparent-orders"),
          page("Refunds", "/docs/assumptions/refunds"),
          page("Payouts", "/docs/assumptions/payouts"),
          page("PIX key claims", "/docs/assumptions/pix-key-claims"),
          page("Webhooks", "/docs/assumptions/webhooks"),
          page("Freedoms", "/docs/assumptions/freedoms"),
          page("Autopilot", "/docs/assumptions/autopilot"),
        ],
      },
      {
        text: "Em português",
        items: [
          page("Começar", "/README.pt-BR"),
          page("Os primeiros dez minutos", "/docs/pt-BR/primeiros-dez-minutos"),
          page("Webhooks", "/docs/pt-BR/webhooks"),
          page("Pix Automático", "/docs/pt-BR/pix-automatico"),
          page("Explore", "/docs/pt-BR/explore"),
          page("Certify", "/docs/pt-BR/certify"),
          page("Um sandbox para muitas pessoas", "/docs/pt-BR/sandbox-compartilhado"),
        ],
      },
      {
        text: "Contribute",
        items: [
          page("The first hour", "/docs/architecture"),
          page("Contributing", "/CONTRIBUTING"),
          page("Release", "/docs/release"),
          page("A transaction is an undo log", "/docs/decisions/0001-a-transaction-is-an-undo-log"),
          page("Chance counts", "/docs/decisions/0002-chance-counts"),
          page("People are fixtures", "/docs/decisions/0003-people-are-fixtures"),
          page("Pact files are data", "/docs/decisions/0004-pact-files-are-data"),
          page("lowdb keeps the snapshot", "/docs/decisions/0005-lowdb-keeps-the-snapshot"),
          page("Three strangers, three guards", "/docs/decisions/0006-three-strangers"),
          page("Absent is not undefined", "/docs/decisions/0007-absent-is-not-undefined"),
          page("An own reference page", "/docs/decisions/0008-an-own-reference-page"),
          page("Benchmarks", "/bench/README"),
        ],
      },
    ],
  },
};

function isPortuguese(page: string): boolean {
  return page.startsWith("docs/pt-BR/") || page === "README.pt-BR.md";
}

/** What coding agents read: the contents, the pages as Markdown, and all of them in one file. */
function writeGuide(folder: string): void {
  const contents = readFileSync("llms.txt", "utf8");
  const textOf = (page: string): string => readFileSync(page, "utf8");
  writeFileSync(posix.join(folder, "llms.txt"), contents);
  writeFileSync(posix.join(folder, "llms-full.txt"), wholeGuide(contents, textOf));
  for (const page of pagesIn(contents)) copyFileSync(page, posix.join(folder, page));
}

/** What is changed of the renderer of Markdown. */
interface Markdown {
  readonly core: { readonly ruler: { push(name: string, rule: typeof adaptLinks): void } };
  readonly renderer: {
    readonly rules: { fence?: (tokens: readonly Token[], index: number, ...rest: unknown[]) => string };
  };
}

/** What is read and changed of a token of Markdown. */
interface Token {
  readonly type: string;
  readonly info: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  tag: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** What the renderer knows of the page that it is at. */
interface Page {
  readonly relativePath: string;
}

/**
 * A link to a file of the repository that is no page, such as a source or an example, becomes its text; one to the
 * README, whose page is the first of the site, leads there.
 */
function adaptLinks({ tokens, env }: { readonly tokens: readonly Token[]; readonly env: Page }): void {
  let isFile = false;
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === "link_open") {
      const href = token.attrGet("href") ?? "";
      const path = posix.join(posix.dirname(env.relativePath), href);
      const isPage = /\.md(#.*)?$/.test(href) && !path.startsWith("src/");
      isFile = !/^(https?:|mailto:|#)/.test(href) && !isPage;
      if (isFile) Object.assign(token, { tag: "span", attrs: null });
      else if (/^README\.md(#|$)/.test(path)) token.attrSet("href", path.replace("README", "/index"));
    }
    if (token.type === "link_close" && isFile) token.tag = "span";
  }
}

/** The transitions of a state diagram as a text: `INITIAL to PENDING by send`. */
function alternativeOf(diagramText: string): string {
  const transitions = diagramText.matchAll(/^\s*(\w+) --> (\w+): (.+)$/gm);
  return `State diagram: ${Array.from(transitions, ([, from, to, action]) => `${from} to ${to} by ${action}`).join(", ")}`;
}

/** A diagram in the colours of the page, light and dark, without the font that the renderer would load. */
function diagram(text: string): string {
  const svg = renderMermaidSVG(text, {
    bg: "var(--vp-c-bg)",
    fg: "var(--vp-c-text-1)",
    padding: 8,
    transparent: true,
  });
  const own = svg
    .replace(/@import url\('[^']*'\);\s*text \{[^}]*\}/, "text { font-family: var(--vp-font-family-mono); }")
    .replace("<svg ", `<svg role="img" aria-label="${alternativeOf(text)}" `);
  return `<div style="overflow-x: auto" v-html="${JSON.stringify(own).replaceAll('"', "&quot;")}"></div>`;
}
