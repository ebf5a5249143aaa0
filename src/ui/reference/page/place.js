// @ts-check

/** Marks in the contents where the reader is. */
export function followReader() {
  const links = new Map(
    [...document.querySelectorAll("#contents > ul > li > a")].map((link) => [anchorOf(link), link]),
  );
  const sections = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  /** @type {Set<Element>} */
  const seen = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const present = sections.find((section) => seen.has(section));
      if (present !== undefined) mark(links, present.id);
    },
    { rootMargin: "-64px 0px -55% 0px" },
  );
  for (const section of sections) observer.observe(section);
}

/**
 * @param {ReadonlyMap<string, Element>} links
 * @param {string} present
 */
function mark(links, present) {
  for (const [id, link] of links) {
    if (id !== present) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      show(link);
    }
  }
}

/**
 * Brings a link into sight inside the contents; the page itself stays where it is.
 *
 * @param {Element} link
 */
function show(link) {
  const contents = document.getElementById("contents");
  if (contents === null) return;
  const [inner, outer] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (inner.top < outer.top) contents.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) contents.scrollTop += inner.bottom - outer.bottom;
}

/** @param {Element} link */
function anchorOf(link) {
  return (link.getAttribute("href") ?? "").slice(1);
}
