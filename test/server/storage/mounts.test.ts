import { expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { requireFolderMount } from "../../../src/server/storage/mounts.ts";
import { tmpdir } from "node:os";

test("a data file that is mounted without its folder is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-mounts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mounts = join(folder, "mountinfo");
  writeFileSync(
    mounts,
    "36 35 98:0 /mnt1 /data/sandbank.json rw,noatime - ext4 /dev/root rw\n37 35 98:0 / /my\\040data rw - ext4 /dev/root rw\n",
  );
  for (const path of ["/data/sandbank.json", "/my data"])
    await expect(requireFolderMount(path, mounts)).rejects.toThrow("it is mounted alone");
  for (const path of ["/data/other.json", "/my data/sandbank.json"]) await requireFolderMount(path, mounts);
  await requireFolderMount("/data/sandbank.json", join(folder, "missing"));
});
