import { criticalPath, inLines, type ExportedResource } from "../../bench/critical-path.ts";

const urn = (name: string) => `urn:pulumi:test::karmada::some:type:Type::${name}`;
const at = (milliseconds: number) => new Date(milliseconds).toISOString();

const stack: ExportedResource = { urn: urn("stack") };
const key: ExportedResource = { urn: urn("key"), created: at(1500), parent: urn("stack") };
const slow: ExportedResource = { urn: urn("etcd"), created: at(4000), dependencies: [urn("key")] };
const quick: ExportedResource = { urn: urn("quick"), created: at(2000) };
const provider: ExportedResource = { urn: urn("provider"), created: at(4500), dependencies: [urn("etcd")] };
const last: ExportedResource = {
  urn: urn("member"),
  created: at(6000),
  dependencies: [urn("quick"), urn("etcd")],
  provider: `${urn("provider")}::some-id`,
};

test("the path goes back from what was made last over the last-made of what each waited for", () => {
  expect(criticalPath([stack, last, key, slow, quick, provider], 1000)).toEqual([
    { name: "key", at: 0.5, took: 0.5 },
    { name: "etcd", at: 3, took: 2.5 },
    { name: "provider", at: 3.5, took: 0.5 },
    { name: "member", at: 5, took: 1.5 },
  ]);
});

test("it is printed with the time of each step and what it took", () => {
  expect(inLines(criticalPath([key, slow], 1000))).toBe("   0.50 s  +0.50 s  key\n   3.00 s  +2.50 s  etcd");
});

test("a stack in which nothing was made has no path", () => {
  expect(criticalPath([stack], 0)).toEqual([]);
});
