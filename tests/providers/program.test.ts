import { jest } from "@jest/globals";
import type { Artifact, ProgramRef } from "../../toolchain/index.ts";

const store = new Map<string, Pick<Artifact, "path" | "sha256">>();
const listed = ["etcd-3.6.6"];
const key = ({ name, version }: ProgramRef) => `${name}-${version}`;

jest.unstable_mockModule("../../toolchain/index.ts", () => ({
  async locate(ref: ProgramRef) {
    if (!listed.includes(key(ref))) throw new Error(`${ref.name}: version ${ref.version} is not in the list`);
    return store.get(key(ref));
  },
  async install(refs: ProgramRef[]) {
    for (const ref of refs) store.set(key(ref), { path: `/store/${key(ref)}/${ref.name}`, sha256: "abc" });
    return refs.map((ref) => store.get(key(ref)));
  },
}));
const { provider } = await import("../../providers/program-impl.ts");

const etcd = { name: "etcd", version: "3.6.6" };
const state = { ...etcd, path: "/store/etcd-3.6.6/etcd", sha256: "abc", schemaVersion: 1 };
beforeEach(() => store.clear());

it("a program that is missing is obtained", async () => {
  expect(await provider.create(etcd)).toEqual({ id: "etcd", outs: state });
});

it("a version that the pinned list does not have is refused in the preview", async () => {
  expect((await provider.check({}, { name: "etcd", version: "9.9.9" })).failures).toEqual([
    { property: "version", reason: "etcd: version 9.9.9 is not in the list" },
  ]);
});

it("a preview knows where a program is that is there, and not where one will be", async () => {
  expect((await provider.check({}, etcd)).inputs).toEqual(etcd);
  await provider.create(etcd);
  const { inputs } = await provider.check({}, etcd);
  expect(inputs).toEqual({ ...etcd, path: state.path, sha256: state.sha256 });
  expect(await provider.diff("etcd", state, inputs)).toMatchObject({ changes: false });
});

it("a program that is in the store is no difference", async () => {
  await provider.create(etcd);
  expect(await provider.diff("etcd", state, etcd)).toMatchObject({ changes: false });
  expect((await provider.read("etcd", state)).props).toEqual(state);
});

it("a refresh finds the inputs that the preview gave it", async () => {
  await provider.create(etcd);
  expect((await provider.read("etcd", state)).inputs).toEqual((await provider.check({}, etcd)).inputs);
});

it("a program that was removed from the store is drift, and obtained again", async () => {
  expect((await provider.read("etcd", state)).props!.drift).toEqual([
    "/store/etcd-3.6.6/etcd is not in the toolchain's store any more",
  ]);
  expect(await provider.diff("etcd", state, etcd)).toMatchObject({ changes: true, replaces: [] });
  expect((await provider.update("etcd", state, etcd)).outs).toEqual(state);
});

it("one that runs elsewhere may be at another place on each machine, as long as it is the same", async () => {
  const elsewhere = { ...etcd, runsElsewhere: true };
  const colleague = { ...state, runsElsewhere: true, path: "/home/colleague/etcd" };
  expect((await provider.read("etcd", colleague)).props).toEqual(colleague);
  expect(await provider.diff("etcd", colleague, elsewhere)).toMatchObject({ changes: true });
  await provider.create(elsewhere);
  expect(await provider.diff("etcd", colleague, elsewhere)).toMatchObject({ changes: false });
  expect((await provider.read("etcd", colleague)).props).toEqual(colleague);
  expect(await provider.diff("etcd", colleague, etcd)).toMatchObject({ changes: true });
  expect(await provider.diff("etcd", { ...colleague, sha256: "other" }, elsewhere)).toMatchObject({ changes: true });
});

it("deleting it leaves the program where others may need it", async () => {
  await provider.create(etcd);
  await provider.delete("etcd", state);
  expect(store.size).toBe(1);
});
