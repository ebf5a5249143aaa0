import { perform } from "./app.js";
import { html, useState } from "../../../html/preact.js";

/** A report that is larger is not read. */
const BYTES_MAX = 50_000_000;

/**
 * Takes a report that a command wrote: the file is dropped here, or chosen. It stays in this tab.
 *
 * @param {object} props
 * @param {string} props.command the command that writes it
 * @param {(report: any, name: string) => void} props.opened takes its JSON; throws where it is another report
 */
export function ReportFile({ command, opened }) {
  const [isOver, setOver] = useState(false);
  const read = (/** @type {File | undefined} */ file) => {
    setOver(false);
    if (file === undefined) return;
    void perform(async () => {
      opened(await jsonOf(file), file.name);
    });
  };
  return html`<label
    class="card drop"
    data-over=${isOver ? true : undefined}
    onDragOver=${(/** @type {any} */ event) => {
      event.preventDefault();
      setOver(true);
    }}
    onDragLeave=${() => setOver(false)}
    onDrop=${(/** @type {any} */ event) => {
      event.preventDefault();
      read(event.dataTransfer.files[0]);
    }}
  >
    <span>Drop a report here, or choose one. It stays in this tab.</span>
    <code>${command}</code>
    <span class="button">Choose a file</span>
    <input
      class="unseen"
      type="file"
      accept=".json,application/json"
      onChange=${(/** @type {any} */ { target }) => {
        read(target.files[0]);
        target.value = "";
      }}
    />
  </label>`;
}

/** @param {File} file */
async function jsonOf(file) {
  if (file.size > BYTES_MAX)
    throw new Error(
      `Failed to read ${file.name}: it has ${file.size} bytes. A report has at most ${BYTES_MAX}.`,
    );
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error(`Failed to read ${file.name}: it is not JSON. Write the report with --reporter json.`);
  }
}

/** What a report of another kind is refused with. @param {string} name @param {string} command */
export function notThisReport(name, command) {
  return new Error(`Failed to read ${name}: it is another kind of file. Write the report with ${command}.`);
}
