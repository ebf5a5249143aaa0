import { api } from "./app.js";
import { CopyButton, ListView } from "./components.js";
import { html } from "../../html/preact.js";

/** All requests to this world, as a scenario file that repeats them. @type {import("./page-data.ts").View} */
export const recordingView = {
  title: "Recording",
  load: async () => (await api.open("GET /sandbox/recording")).text(),
  List,
};

/** @param {{ data: string }} props */
function List({ data: text }) {
  const isEmpty = text.trimEnd().endsWith("steps: []");
  return html`<${ListView}
    title="Recording"
    side=${html`<${CopyButton} text=${text} />
      <button class="primary" onClick=${() => download("recording.yaml", text)}>Download</button>`}
    intro="The requests, acts and faults of this world since its start, as a scenario file to run, shorten and keep as a test."
    rows=${isEmpty ? [] : [html`<pre class="source" tabindex="0">${text}</pre>`]}
    none="This world has no requests yet."
  />`;
}

/**
 * Gives a text to the browser as a file. A link to the sandbox would not do: its request carries no token.
 *
 * @param {string} name
 * @param {string} text
 */
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
