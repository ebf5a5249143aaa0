// @ts-check
import { copyButton, heading, nothing } from "./pieces.js";
import { el } from "./dom.js";

/** What reached this world so far, as a scenario file that does it again. @type {import("./view.js").View} */
export const recordingView = { title: "Recording", list: sections };

/** @param {import("./view.js").Context} context */
async function sections({ api }) {
  const text = await api.text("/recording");
  const isEmpty = /^steps: \[\]$/m.test(text);
  return [
    {
      key: "recording.head",
      data: text,
      build: () => [
        heading(
          "Recording",
          copyButton(text),
          el("button.primary", { onclick: () => download("recording.yaml", text) }, "Download"),
        ),
        el(
          "p.soft",
          {},
          "This world's requests, acts and faults since its start, as a scenario file. It can be run, shortened and kept as a test.",
        ),
      ],
    },
    {
      key: "recording.text",
      data: text,
      build: () => [isEmpty && nothing("Nothing reached this world yet."), el("pre.source", {}, text)],
    },
  ];
}

/**
 * Gives a text to the browser as a file. A link to the sandbox would not do: it carries no token.
 *
 * @param {string} name
 * @param {string} text
 */
function download(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
