import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import * as tar from "tar";
import { readContents, writeContents } from "../../cli/bundle/contents.ts";
import { fetchedSources } from "../../cli/bundle/sources.ts";
import { wrongUsage } from "../../cli/bundle/usage.ts";

const root = join(import.meta.dirname, "..", "..");
const run = (...args: string[]) =>
  execa("node", [join(root, "cli", "bundle.ts"), ...args], { cwd: root, reject: false, timeout: 60_000 });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "karmada-bundle-"));
});
afterEach(() => rm(directory, { recursive: true }));

const oneOf = "want one of --into, the archive to make, and --from, the one to use";
test.each([
  [{}, [], oneOf],
  [{ into: "a.tar", from: "b.tar" }, [], oneOf],
  [{ file: "", into: "a.tar" }, [], '--file: got "", want the path of a stack file'],
  [{ from: "a.tar", platform: "linux/arm64" }, [], "--file, --platform and --nodes are for the archive to make"],
  [{ into: "a.tar", to: "registry.example.org" }, [], "--to and --list want --from, the archive to use"],
  [{ from: "a.tar", to: "registry.example.org" }, ["list"], "--list only looks, want it without --to"],
  [{ into: "a.tar", nodes: "arm" }, [], '--nodes: got "arm", want one such as linux/amd64 or linux/arm64'],
  [{ into: "a.zip" }, [], '--into: got "a.zip", want a name that ends in .tar: what is in it is compressed'],
  [{ into: "/not/there/a.tar" }, [], '--into: got "/not/there/a.tar", but there is no directory /not/there'],
  [{ into: "a.tar", nodes: "linux/arm64", platform: "linux/arm64" }, [], undefined],
  [{ from: "a.tar", to: "registry.example.org:5000/a" }, [], undefined],
])("%j %j is told to be meant otherwise, where it cannot be meant so", (values, flags, says) => {
  expect(wrongUsage(values, new Set(flags))).toBe(says);
});

test("it says how it is used, and what is wrong", async () => {
  expect((await run("--help")).stdout).toMatch(/^usage: npm run bundle/);
  expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(oneOf) });
  const platform = await run("--into", join(directory, "a.tar"), "--platform", "plan9/amd64");
  expect([platform.exitCode, platform.stderr]).toEqual([2, expect.stringContaining("plan9/amd64")]);
  const missing = join(directory, "Pulumi.none.yaml");
  expect(await run("--file", missing, "--into", join(directory, "a.tar"))).toMatchObject({
    exitCode: 1,
    stderr: `npm run bundle: ${missing}: there is no such file, name one with --stack or --file`,
  });
});

test("a file that is no bundle is said to be none", async () => {
  const file = join(directory, "other.tar");
  await writeFile(join(directory, "x"), "x");
  await tar.c({ file, cwd: directory }, ["x"]);
  expect((await run("--from", file, "--list")).stderr).toBe(
    `npm run bundle: ${file}: it is no bundle; npm run bundle -- --into makes one`,
  );
  const none = join(directory, "none.tar");
  expect((await run("--from", none)).stderr).toBe(`npm run bundle: ${none}: there is no such file`);
});

test("what a bundle has is held against its list, and the list against its checksum", async () => {
  await writeFile(join(directory, "part"), "as it was packed");
  const contents = { programs: [], images: ["a/b:1"], nodes: "linux/amd64", sources: [] };
  const names = await writeContents(directory, contents, ["part"]);
  expect(names).toEqual(["bundle.sha256", "bundle.json", "part"]);
  expect(await readContents(directory, "x.tar")).toMatchObject({ format: 1, images: ["a/b:1"] });
  await writeFile(join(directory, "part"), "as it was packeD");
  await expect(readContents(directory, "x.tar")).rejects.toThrow(
    "x.tar is damaged, copy it again: part is something else",
  );
  await rm(join(directory, "part"));
  await expect(readContents(directory, "x.tar")).rejects.toThrow("part is something else");
  await writeFile(join(directory, "bundle.json"), "{}");
  await expect(readContents(directory, "x.tar")).rejects.toThrow("bundle.json is something else");
});

test("of addons only what is fetched is packed, by its digest; what has none is named", () => {
  const [one, two] = ["1".repeat(64), "2".repeat(64)];
  const target = { kind: "host" };
  const addon = (name: string, source: object) => ({ name, source, target });
  const chart = { kind: "chart", repository: "https://charts.example.org", chart: "web", version: "1.2.3" };
  const oci = { kind: "chart", oci: "oci://registry.example.org/charts/web", version: "1.2.3" };
  const pinned = [
    addon("file", { kind: "manifest", file: "a.yaml" }),
    addon("directory", { kind: "chart", directory: "chart" }),
    addon("url", { kind: "manifest", url: "https://example.org/a.yaml", sha256: one }),
    addon("repository", { ...chart, sha256: two }),
  ];
  expect(fetchedSources({ "karmada:addons": pinned })).toEqual([
    { addon: "url", from: "https://example.org/a.yaml", path: `manifests/${one}` },
    { addon: "repository", from: "web 1.2.3 of https://charts.example.org", path: `charts/${two}.tgz` },
  ]);
  expect(fetchedSources({})).toEqual([]);
  const unpinned = [...pinned, addon("later", chart), addon("image", oci)];
  expect(() => fetchedSources({ "karmada:addons": unpinned })).toThrow("note source.sha256 of later, image");
});
