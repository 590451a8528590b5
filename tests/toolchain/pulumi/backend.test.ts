import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { localBackend, passphraseFile } from "../../../toolchain/pulumi/backend.ts";

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

test("a passphrase is made once, and it is said which stack files were encrypted with another one", async () => {
  const project = await mkdtemp(join(tmpdir(), "passphrase-"));
  const said = jest.spyOn(console, "error").mockImplementation(() => {});
  try {
    await writeFile(join(project, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
    await writeFile(join(project, "Pulumi.dev.yaml"), "config: {}\n");
    await passphraseFile(join(project, "first"), project);
    expect(said).not.toHaveBeenCalled();
    await writeFile(join(project, "Pulumi.prod.yaml"), "config: {}\nencryptionsalt: v1:x\n");
    const path = join(project, "second");
    const made = await readFile(await passphraseFile(path, project), "utf8");
    expect(await readFile(await passphraseFile(path, project), "utf8")).toBe(made);
    const wanted = `pulumi: made a passphrase, ${path}; Pulumi.prod.yaml: encrypted with another one, put that there, or name its file with PULUMI_CONFIG_PASSPHRASE_FILE`;
    expect(said.mock.calls).toEqual([[wanted]]);
  } finally {
    said.mockRestore();
    await rm(project, { recursive: true });
  }
});
