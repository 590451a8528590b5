/** What the shell commands do that write files, by a real shell. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFiles, type NewFile } from "../../../lib/hosts/replace-files.ts";

let directory: string;
const at = (name: string) => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "karmada-files-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(files: readonly NewFile[]): void {
  const owner = `${process.getuid?.()}:${process.getgid?.()}`;
  execFileSync("sh", ["-s"], { input: `set -eu\n${replaceFiles(files, owner)}\n` });
}

test("any text arrives as it is", () => {
  const content = `it's 100% "so"\\n\\t $HOME \`id\` \\\n\n-n é\n\n`;
  write([{ path: at("a b"), content, mode: "640", isNew: true }]);
  write([{ path: at("empty"), content: "", mode: "640" }]);
  expect(readFileSync(at("a b"), "utf8")).toBe(content);
  expect(readFileSync(at("empty"), "utf8")).toBe("");
});

test("each has its mode, and what is beside it while it is written goes", () => {
  const modes = { secret: "600", shared: "640", program: "750", open: "644" };
  const files = Object.entries(modes).map(([name, mode]) => ({ path: at(name), content: name, mode }));
  write(files.slice(0, 2).map((file) => ({ ...file, isNew: true })));
  write(files);
  for (const [name, mode] of Object.entries(modes)) expect((statSync(at(name)).mode & 0o777).toString(8)).toBe(mode);
  expect(readdirSync(directory).sort()).toEqual(Object.keys(modes).sort());
});

test("whoever reads the former goes on with all of it", () => {
  writeFileSync(at("file"), "former");
  const before = statSync(at("file")).ino;
  write([{ path: at("file"), content: "now", mode: "640" }]);
  expect(statSync(at("file")).ino).not.toBe(before);
  expect(readFileSync(at("file"), "utf8")).toBe("now");
});

test("one that cannot be written is named with what room there is, and what is there stays as it was", () => {
  writeFileSync(at("file"), "former");
  const files = ["", "longer than there is room for"].map((content, i) => ({
    ...{ path: at(["first", "file"][i]!), content, mode: "640" },
  }));
  // As on a full disk.
  const script = `set -eu\ntrap '' XFSZ\nulimit -f 0\n${replaceFiles(files, "root:root")}\n`;
  const { status, stderr } = spawnSync("sh", ["-s"], { input: script, encoding: "utf8" });
  const expected = `^${at("file")}: cannot be written, \\d+Mi free: make room there, and run the same again$`;
  expect(stderr.trim().split("\n").at(-1)).toMatch(new RegExp(expected));
  expect(status).toBe(1);
  expect(readFileSync(at("file"), "utf8")).toBe("former");
  expect(readdirSync(directory)).toEqual(["file"]);
});
