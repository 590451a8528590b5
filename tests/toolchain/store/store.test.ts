import { mkdir, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { pin } from "../../../toolchain/store/pins.ts";
import {
  addArtifact,
  findArtifact,
  listArtifacts,
  makeTemporary,
  storeDirectory,
} from "../../../toolchain/store/store.ts";
import { demo, makeSandbox, sha256, type Sandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
beforeEach(async () => (sandbox = await makeSandbox()));
afterEach(() => sandbox.remove());

const provenance = { source: "release", address: "http://127.0.0.1:9/demo", verified: ["checksum"] };

async function add(text = "content", program = demo()) {
  const made = join(await makeTemporary(sandbox.store), "made");
  await mkdir(made);
  await writeFile(join(made, "demo"), text, { mode: 0o755 });
  return addArtifact(sandbox.store, program, "linux/arm64", made, provenance);
}

test("the store is where KARMADA_TOOLCHAIN_DIR says, else in the user's cache directory", () => {
  expect(storeDirectory({ KARMADA_TOOLCHAIN_DIR: "/srv/programs", XDG_CACHE_HOME: "/c" })).toBe("/srv/programs");
  expect(storeDirectory({ XDG_CACHE_HOME: "/c" })).toBe("/c/karmada-pulumi");
  expect(storeDirectory({})).toMatch(/\/\.cache\/karmada-pulumi$/);
});

test("an artifact is found by name, version and platform, with its checksum and provenance", async () => {
  const added = await add();
  const found = await findArtifact(sandbox.store, demo(), "linux/arm64");
  expect(found).toEqual(added);
  expect(found).toMatchObject({ ...provenance, sha256: sha256("content"), platform: "linux/arm64" });
  expect(await findArtifact(sandbox.store, demo(), "linux/amd64")).toBeUndefined();
  expect(await findArtifact(sandbox.store, demo({ version: "1.2.4" }), "linux/arm64")).toBeUndefined();
  expect(await listArtifacts(sandbox.store)).toEqual([added]);
});

test("equal content is kept once", async () => {
  const [one, two] = [await add(), await add("content", demo({ version: "1.2.4" }))];
  expect(one.path).toBe(two.path);
  expect(await readdir(join(sandbox.store, "content"))).toEqual([one.content]);
});

test("an artifact whose content was cut or removed is not there, and adding it again repairs it", async () => {
  const { path } = await add();
  await truncate(path, 3);
  expect(await findArtifact(sandbox.store, demo(), "linux/arm64")).toBeUndefined();
  await add();
  expect(await findArtifact(sandbox.store, demo(), "linux/arm64")).toMatchObject({ path });
  await rm(path);
  expect(await findArtifact(sandbox.store, demo(), "linux/arm64")).toBeUndefined();
});

test("a record that was half written by something else is not there", async () => {
  await add();
  await writeFile(join(sandbox.store, "programs/linux-arm64/demo-1.2.3.json"), '{"name": "de');
  expect(await findArtifact(sandbox.store, demo(), "linux/arm64")).toBeUndefined();
});

test("what an earlier list has put there, under another name or without all entries, is not there by the list of today", async () => {
  const files = (program: { main?: string; entries?: readonly string[] }) =>
    demo({ kind: "files", main: "demo", ...program });
  const made = join(await makeTemporary(sandbox.store), "made");
  await mkdir(join(made, "demo/all"), { recursive: true });
  await writeFile(join(made, "demo/one.yaml"), "one");
  await writeFile(join(made, "demo/all/two.yaml"), "two");
  await addArtifact(sandbox.store, files({}), "linux/arm64", made, provenance);
  const find = async (program: Parameters<typeof files>[0]) =>
    (await findArtifact(sandbox.store, files(program), "any")) !== undefined;
  expect(await find({ entries: ["one.yaml", "all/"] })).toBe(true);
  expect(await find({ entries: ["one.yaml", "all/", "al/"] })).toBe(false);
  expect(await find({ entries: ["one.yaml", "two.yaml"] })).toBe(false);
  expect(await find({ main: "crds" })).toBe(false);
  expect(await findArtifact(sandbox.store, { name: "demo", version: "1.2.3" }, "any")).toBeDefined();
});

test("content other than the pinned checksum says is refused", async () => {
  const program = demo({ contentSha256: "0".repeat(64) });
  await expect(add("content", program)).rejects.toThrow(
    /^content checksum is [0-9a-f]{64}, the pinned list says 0{64}$/,
  );
  expect(await readdir(join(sandbox.store, "content")).catch(() => [])).toEqual([]);
});

test("what a run that ended left behind is removed by the next, what a running one makes is not", async () => {
  const dead = join(sandbox.store, "tmp", `${hostname()}~4194305~gone`);
  const elsewhere = join(sandbox.store, "tmp", "other-host~1~here");
  await mkdir(dead, { recursive: true });
  await mkdir(elsewhere);
  const mine = await makeTemporary(sandbox.store);
  const second = await makeTemporary(sandbox.store);
  const names = (await readdir(join(sandbox.store, "tmp"))).map((name) => join(sandbox.store, "tmp", name));
  expect(names.sort()).toEqual([elsewhere, mine, second].sort());
});

test("a pin holds an address to what it served first", async () => {
  expect(await pin(sandbox.store, "http://127.0.0.1/a", "1".repeat(64))).toBe("first use");
  expect(await pin(sandbox.store, "http://127.0.0.1/a", "1".repeat(64))).toBe("as pinned");
  expect(await pin(sandbox.store, "http://127.0.0.1/b", "2".repeat(64))).toBe("first use");
  await expect(pin(sandbox.store, "http://127.0.0.1/a", "2".repeat(64))).rejects.toThrow(
    `http://127.0.0.1/a: checksum is ${"2".repeat(64)}, but ${"1".repeat(64)} was pinned when it was first used`,
  );
});
