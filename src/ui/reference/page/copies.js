// @ts-check

const SAID_MS = 1200;

/** Puts a button beside every command that copies it, where the browser lets a page copy. */
export function offerCopies() {
  if (navigator.clipboard === undefined) return;
  for (const figure of document.querySelectorAll("figure.command")) {
    const button = document.createElement("button");
    button.className = "quiet";
    button.textContent = "copy";
    button.addEventListener("click", () => void copy(figure, button));
    figure.querySelector("figcaption")?.append(button);
  }
}

/**
 * @param {Element} figure
 * @param {HTMLButtonElement} button
 */
async function copy(figure, button) {
  await navigator.clipboard.writeText(figure.querySelector("pre")?.textContent ?? "");
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), SAID_MS);
}
