import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localBackend } from "../../../toolchain/pulumi/backend.ts";

test("a directory is used without digests beside its files, unless it was begun with them: pulumi knows the selected stack by its URL", async () => {
  const directory = await mkdtemp(join(tmpdir(), "backend-"));
  try {
    expect(await localBackend(directory)).toBe(`file://${directory}?metadata=skip`);
    await mkdir(join(directory, ".pulumi"));
    await writeFile(join(directory, ".pulumi", "meta.yaml.attrs"), "{}");
    expect(await localBackend(directory)).toBe(`file://${directory}`);
  } finally {
    await rm(directory, { recursive: true });
  }
});
