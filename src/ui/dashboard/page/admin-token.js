// @ts-check
import { el } from "./dom.js";

/**
 * Asks for the token that guards the sandbox's own API.
 *
 * @returns {Promise<string | undefined>} undefined where it was not given
 */
export function askAdminToken() {
  const { promise, resolve } = Promise.withResolvers();
  const token = /** @type {HTMLInputElement} */ (
    el("input", { type: "password", required: true, autocomplete: "off", "aria-label": "Admin token" })
  );
  /** @type {string | undefined} */
  let given;
  const onsubmit = () => (given = token.value);
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { onclose: () => (dialog.remove(), resolve(given)) })
  );
  dialog.append(
    el(
      "form",
      { method: "dialog", onsubmit },
      el("h2", {}, "Admin token"),
      el("p.soft", {}, "This sandbox was started with --admin-token. The token stays in this tab."),
      token,
      el("button.primary", {}, "Go on"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
