// @ts-check

/** @typedef {Node | string | number | null | undefined | false} Child what is left out is null or false */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * Makes an element: `el("button.primary", { onclick: pay }, "Pay")`. Text goes in as text: whatever a user or a
 * receiver wrote can never become markup.
 *
 * @param {string} selector the tag, then its classes
 * @param {Attributes} [attributes] functions listen; true is an attribute without a value; false and null are none
 * @param {...Child} children
 */
export function el(selector, attributes = {}, ...children) {
  const [tag = "div", ...classes] = selector.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      setAttribute(element, name, String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * The children that are there.
 *
 * @param {readonly Child[]} children
 */
export function present(children) {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * Links lead to places of this page and pages of this sandbox, and nowhere else.
 *
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function setAttribute(element, name, value) {
  if (name === "href" && !value.startsWith("#") && !isOwnPage(value)) return;
  element.setAttribute(name, value);
}

/**
 * Whether an address opens a page of this very sandbox.
 *
 * @param {string} address
 */
export function isOwnPage(address) {
  return URL.canParse(address) && new URL(address).origin === location.origin;
}

/**
 * A part of a pane. It is built anew when its data differ from those it was last built from, and is otherwise
 * left as it stands, with what is typed, opened and selected in it.
 *
 * @typedef {{ key: string, data: unknown, build: () => Child | Child[] }} Section
 */

/** @type {WeakMap<Element, string>} */
const builtFrom = new WeakMap();

/**
 * Shows sections in a pane, in order, and takes away all others.
 *
 * @param {Element} pane
 * @param {readonly Section[]} sections
 */
export function showSections(pane, sections) {
  const shown = new Map(
    [...pane.children].map((child) => [
      child instanceof HTMLElement ? child.dataset["section"] : undefined,
      child,
    ]),
  );
  const wanted = sections.map(({ key, data, build }) => {
    const signature = JSON.stringify([key, data]);
    const standing = shown.get(key);
    if (standing !== undefined && builtFrom.get(standing) === signature) return standing;
    const section = el("section", { "data-section": key }, ...[build()].flat());
    builtFrom.set(section, signature);
    if (standing !== undefined) carryOver(standing, section);
    return section;
  });
  const same =
    wanted.length === pane.children.length &&
    wanted.every((section, index) => section === pane.children[index]);
  if (!same) keepingFocus(pane, () => pane.replaceChildren(...wanted));
}

/**
 * Keeps open what a person opened and typed what a person typed, where a section is built anew around it.
 *
 * @param {Element} from
 * @param {Element} to
 */
function carryOver(from, to) {
  for (const details of from.querySelectorAll("details[data-keep][open]")) {
    to.querySelector(`details[data-keep="${CSS.escape(keepOf(details))}"]`)?.setAttribute("open", "");
  }
  for (const field of from.querySelectorAll("input[data-keep], select[data-keep], textarea[data-keep]")) {
    const twin = to.querySelector(`[data-keep="${CSS.escape(keepOf(field))}"]`);
    if (isField(field) && isField(twin) && isTyped(field)) twin.value = field.value;
  }
}

/** @param {Element} element */
function keepOf(element) {
  return element.getAttribute("data-keep") ?? "";
}

/**
 * @param {unknown} element
 * @returns {element is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function isField(element) {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  );
}

/**
 * Whether a person changed what the field was built with.
 *
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 */
function isTyped(field) {
  if (!(field instanceof HTMLSelectElement)) return field.value !== field.defaultValue;
  const preset = [...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0];
  return field.value !== preset?.value;
}

/**
 * Does something to a pane and gives the focus back to the twin of the field that had it.
 *
 * @param {Element} pane
 * @param {() => void} change
 */
function keepingFocus(pane, change) {
  const active = document.activeElement;
  const keep = active !== null && pane.contains(active) ? active.getAttribute("data-keep") : null;
  const caret = active instanceof HTMLInputElement && active.type === "search" ? active.selectionStart : null;
  change();
  if (keep === null) return;
  const twin = pane.querySelector(`[data-keep="${CSS.escape(keep)}"]`);
  if (!(twin instanceof HTMLElement)) return;
  twin.focus({ preventScroll: true });
  if (twin instanceof HTMLInputElement && caret !== null) twin.setSelectionRange(caret, caret);
}
