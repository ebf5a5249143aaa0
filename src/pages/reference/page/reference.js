/** Fields shown at most under each section that matches. */
const HITS_MAX = 5;

/** As in reference.css. */
const NARROW = "(max-width: 760px)";

/**
 * The searchable parts of one section: its link in the contents, its text, and the anchors inside it.
 *
 * @typedef {{ item: HTMLElement, text: string, anchors: { id: string, text: string }[] }} Entry
 */

/** Shows the search: the contents list only what matches, with the fields that match under their section. */
function offerSearch() {
  const box = document.getElementById("search");
  if (!(box instanceof HTMLInputElement)) return;
  const entries = readEntries();
  box.hidden = false;
  box.addEventListener("input", () => show(entries, wordsOf(box.value)));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") firstShown()?.click();
    if (event.key === "Escape") end();
  });
  // On a narrow page the contents cover the text: they close when a link is chosen.
  document.getElementById("contents")?.addEventListener("click", ({ target }) => {
    const isLink = target instanceof Element && target.closest("a") !== null;
    if (isLink && matchMedia(NARROW).matches) end();
  });
  const menu = document.getElementById("menu");
  const toggle = (/** @type {boolean} */ isOpen) => {
    document.body.toggleAttribute("data-open", isOpen);
    menu?.setAttribute("aria-expanded", String(isOpen));
  };
  menu?.addEventListener("click", () => toggle(!document.body.hasAttribute("data-open")));
  const end = () => {
    toggle(false);
    box.value = "";
    show(entries, []);
    box.blur();
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.select();
  });
}

/** @returns {Entry[]} */
function readEntries() {
  /** @type {Set<Element>} */
  const known = new Set();
  return [...document.querySelectorAll("#contents > ul > li")].flatMap((item) => {
    const link = item.querySelector("a");
    const section = link && sectionOf(link);
    if (!section || !(item instanceof HTMLElement)) return [];
    // Events of one shape share their section: its fields are listed under the first of them.
    const fields = known.has(section) ? [] : section.querySelectorAll("li[id]");
    known.add(section);
    const anchors = Array.from(fields, ({ id }) => ({
      id,
      text: id.slice(id.indexOf(".") + 1).toLowerCase(),
    }));
    const names = `${item.textContent} ${anchorOf(link)}`;
    return [{ item, text: `${names} ${section.textContent}`.toLowerCase(), anchors }];
  });
}

/**
 * Returns the section that a link of the contents leads to. For an event, the section with the fields of its body.
 * @param {Element} link
 */
function sectionOf(link) {
  return document.getElementById(anchorOf(link))?.closest("section");
}

/** @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {readonly Entry[]} entries @param {readonly string[]} words */
function show(entries, words) {
  document.body.toggleAttribute("data-searching", words.length > 0);
  for (const { item, text, anchors } of entries) {
    item.hidden = !words.every((word) => text.includes(word));
    item.querySelector(".hits")?.remove();
    if (item.hidden || words.length === 0) continue;
    const hits = anchors.filter((anchor) => words.every((word) => anchor.text.includes(word)));
    if (hits.length > 0) item.append(hitList(hits.slice(0, HITS_MAX), words));
  }
  for (const heading of document.querySelectorAll("#contents > h2")) {
    const list = heading.nextElementSibling;
    const isEmpty = list?.tagName === "UL" && list.querySelector(":scope > li:not([hidden])") === null;
    heading.toggleAttribute("hidden", isEmpty || (words.length > 0 && list?.tagName !== "UL"));
  }
  const nothing = document.getElementById("nothing-found");
  const isFound = words.length === 0 || entries.some(({ item }) => !item.hidden);
  if (nothing !== null)
    nothing.textContent = isFound
      ? ""
      : `Nothing found for “${words.join(" ")}”. Search for a field, a path, an event or an operation.`;
}

/** @param {readonly { id: string, text: string }[]} hits @param {readonly string[]} words */
function hitList(hits, words) {
  const list = document.createElement("ul");
  list.className = "hits";
  for (const { id, text } of hits) {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.toggleAttribute("data-exact", text.split(".").at(-1) === words.join(" "));
    for (const part of id.slice(id.indexOf(".") + 1).split(/(?<=\.)/))
      link.append(part, document.createElement("wbr"));
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  return list;
}

/**
 * Returns the link for Enter: a field of exactly that name, otherwise a field that matched, otherwise a section that
 * matched.
 */
function firstShown() {
  const link =
    document.querySelector("#contents li:not([hidden]) > .hits a[data-exact]") ??
    document.querySelector("#contents li:not([hidden]) > .hits a") ??
    document.querySelector("#contents > ul > li:not([hidden]) > a");
  return link instanceof HTMLElement ? link : undefined;
}

const SAID_MS = 1200;

/** Adds a copy button to every command, if the browser lets a page copy. */
function offerCopies() {
  if (navigator.clipboard === undefined) return;
  for (const figure of document.querySelectorAll("figure.command")) {
    const button = document.createElement("button");
    button.className = "quiet";
    button.textContent = "copy";
    button.addEventListener("click", () => void copy(figure, button));
    figure.querySelector("figcaption")?.append(button);
  }
}

/** @param {Element} figure @param {HTMLButtonElement} button */
async function copy(figure, button) {
  await navigator.clipboard.writeText(figure.querySelector("pre")?.textContent ?? "");
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), SAID_MS);
}

/** The only line of the window that decides which section is in view. */
const READING_LINE = "-20% 0px -79% 0px";

/**
 * Marks the section in view in the contents: the innermost section. If several links lead to it, the clicked link is
 * marked.
 */
function followReader() {
  const links = [...document.querySelectorAll("#contents > ul > li > a, #contents > h2 > a")];
  const inView = new Set();
  const mark = () => {
    const shown = links.filter((link) => inView.has(sectionOf(link)));
    const innermost = sectionOf(shown.at(-1) ?? document.body);
    const own = shown.filter((link) => sectionOf(link) === innermost);
    const present = own.find((link) => `#${anchorOf(link)}` === location.hash) ?? own[0] ?? links[0];
    for (const link of links) link.removeAttribute("aria-current");
    present?.setAttribute("aria-current", "true");
    bringIntoView(present);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) inView.add(target);
        else inView.delete(target);
      mark();
    },
    { rootMargin: READING_LINE },
  );
  for (const link of links) {
    const section = sectionOf(link);
    if (section) observer.observe(section);
  }
  addEventListener("hashchange", mark);
}

/**
 * Scrolls the contents so that a link becomes visible. The page itself does not scroll.
 *
 * @param {Element | undefined} link
 */
function bringIntoView(link) {
  const contents = document.getElementById("contents");
  if (contents === null || link === undefined) return;
  const [inner, outer] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (inner.top < outer.top) contents.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) contents.scrollTop += inner.bottom - outer.bottom;
}

/** @param {Element} link */
function anchorOf(link) {
  return (link.getAttribute("href") ?? "").slice(1);
}

/** Shows the samples in the language that is chosen. */
function offerLanguages() {
  const choice = document.getElementById("language");
  if (!(choice instanceof HTMLSelectElement)) return;
  choice.hidden = false;
  choice.addEventListener("change", () => void showSamples(choice));
}

/** @param {HTMLSelectElement} choice */
async function showSamples(choice) {
  const language = choice.value;
  const response = await fetch(`/docs/samples/${encodeURIComponent(language)}${location.search}`);
  const samples = /** @type {Readonly<Record<string, string>>} */ (await response.json());
  if (choice.value !== language) return;
  for (const figure of document.querySelectorAll("figure[data-sample]")) {
    const code = figure.querySelector("code");
    const text = samples[figure.getAttribute("data-sample") ?? ""];
    if (code !== null && text !== undefined) code.textContent = text;
  }
}

offerSearch();
offerLanguages();
offerCopies();
followReader();
