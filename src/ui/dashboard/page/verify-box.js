// @ts-check
import { el } from "./dom.js";

/** @typedef {import("./view.js").Context} Context */

/**
 * Asks whether what a receiver saw verifies, and if not, why: its body, its secret, the header it found.
 *
 * @param {Context} context
 * @param {string} id of the delivery
 * @param {Record<string, any>} attempt
 */
export function verifySection({ api, perform }, id, attempt) {
  const body = /** @type {HTMLTextAreaElement} */ (
    el("textarea", { rows: 4, spellcheck: "false", "data-keep": "verify.body" }, attempt["requestBody"])
  );
  const secret = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      autocomplete: "off",
      "data-keep": "verify.secret",
      placeholder: "the company's own",
    })
  );
  const header = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      autocomplete: "off",
      "data-keep": "verify.header",
      placeholder: "as it was sent",
    })
  );
  const verdict = el("div.verdict", { role: "status" });
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void perform(async () => {
      const { verifies, findings } = await api.post(`/deliveries/${id}/verify`, {
        attempt: attempt["number"],
        body: body.value,
        ...(secret.value !== "" && { secret: secret.value }),
        ...(header.value !== "" && { header: header.value }),
      });
      const lines = findings.map((/** @type {any} */ { message }) => el("p", {}, message));
      verdict.replaceChildren(
        el(verifies ? "b.good" : "b.bad", {}, verifies ? "It verifies." : "It does not verify."),
        ...lines,
      );
      return undefined;
    });
  };
  const sent = attempt["requestHeaders"]["x-signature-sha256"] ?? "no signature";
  return el(
    "details.act",
    { "data-keep": "verify" },
    el(
      "summary",
      {},
      el("span", {}, "verify"),
      el("span.soft", {}, "Why does my receiver refuse the signature?"),
    ),
    el("p.soft.small.wrap", {}, `Sent with ${sent}`),
    el(
      "form.fields.wide",
      { onsubmit },
      el("label", {}, el("span", {}, "The body your receiver saw"), body),
      el("label", {}, el("span", {}, "The secret it used"), secret),
      el("label", {}, el("span", {}, "The header it found"), header),
      el("button.primary", { type: "submit" }, "Verify"),
      verdict,
    ),
  );
}
