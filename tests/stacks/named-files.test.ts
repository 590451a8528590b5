import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileContent, filesIn } from "../../stacks/named-files.ts";
import { nobody } from "../support/nobody.ts";

const directory = await mkdtemp(join(tmpdir(), "karmada-named-"));
afterAll(() => rm(directory, { recursive: true }));
await mkdir(join(directory, "rules"));
await writeFile(join(directory, "one.yaml"), "a: 1\n");
await writeFile(join(directory, "locked"), "");
await chmod(join(directory, "locked"), 0);

test.each([
  ["none", `got "none", but there is no such file: ${directory}/none`],
  ["rules", `got "rules", but it is a directory, want a file: ${directory}/rules`],
  ["one.yaml/x", `got "one.yaml/x", but it is below a file, not a directory: ${directory}/one.yaml/x`],
])("the file %s is not one, and why is said in words", (path, error) => {
  expect(fileContent(path, directory)).toEqual({ error });
});

test.each([
  ["none", `got "none", but there is no such directory: ${directory}/none`],
  ["one.yaml", `got "one.yaml", but it is a file, or below one, want a directory: ${directory}/one.yaml`],
])("the directory %s is not one, and why is said in words", (path, error) => {
  expect(filesIn(path, directory)).toEqual({ error });
});

test("a file that is somebody else's is said to be", () => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody); // root may read everything
  try {
    const error = `got "locked", but this user may not read it: ${directory}/locked`;
    expect(fileContent("locked", directory)).toEqual({ error });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
