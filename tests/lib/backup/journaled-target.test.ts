import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../lib/backup/journal.ts";
import { JournaledTarget } from "../../../lib/backup/journaled-target.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import { manifestFile } from "../../../lib/snapshots/manifest.ts";
import { contentOf, sampleManifest } from "../snapshots/support.ts";

const directory = mkdtempSync(join(tmpdir(), "journaled-"));
const snapshots = join(directory, "prod");
afterAll(() => rmSync(directory, { recursive: true }));

/** A run is killed once it has removed the manifest. */
class Killed extends DirectoryTarget {
  override async remove(id: string): Promise<void> {
    rmSync(join(snapshots, manifestFile(id)));
    throw new Error("killed");
  }
}

const journaled = (target: DirectoryTarget) =>
  new JournaledTarget(target, new Journal(directory), new AbortController().signal);

test("the next run removes what is left of a snapshot that a killed one was about to remove", async () => {
  const bytes = Buffer.alloc(64);
  const manifest = sampleManifest(bytes);
  const target = journaled(new Killed({ directory: snapshots }));
  await target.prepare(0);
  await target.put(manifest.file, contentOf(bytes), bytes.length);
  await target.commit(manifest);
  await expect(target.remove(manifest.id)).rejects.toThrow("killed");
  expect(readdirSync(snapshots)).toEqual([manifest.file]);

  await journaled(new DirectoryTarget({ directory: snapshots })).cleanUp();
  expect(readdirSync(snapshots)).toEqual([]);
});
