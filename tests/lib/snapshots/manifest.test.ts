import fc from "fast-check";
import { idOfManifest, manifestText, newestFirst, parseManifest } from "../../../lib/snapshots/manifest.ts";
import { sampleManifest } from "./support.ts";

test("a manifest is read as it was written", () => {
  const manifest = sampleManifest();
  expect(parseManifest(manifestText(manifest))).toEqual(manifest);
});

test("everything wrong with a manifest is said", () => {
  expect(() => parseManifest("half of")).toThrow("the manifest is not as it must be: all of it: ");
  expect(() => parseManifest(manifestText({ ...sampleManifest(), sizeBytes: -1, revision: "x" }))).toThrow(
    /sizeBytes: .*; revision: /,
  );
});

test("only the name of a manifest gives an id", () => {
  const { id } = sampleManifest();
  expect(idOfManifest(`${id}.json`)).toBe(id);
  for (const file of [id, `${id}.db`, "other.json", `${id}.json.part`]) expect(idOfManifest(file)).toBeUndefined();
});

const at = (clusterId: string, revision: string, createdAt: string) => ({ clusterId, revision, createdAt });

test("within a cluster the revision decides, also when the clock was set back", () => {
  const before = at("a", "9", "2026-11-21T12:00:00.000Z");
  const after = at("a", "10", "2026-11-20T12:00:00.000Z");
  expect(newestFirst([before, after])).toEqual([after, before]);
});

test("a restored cluster begins again with lower revisions, and is newer", () => {
  const old = at("a", "1000", "2026-11-20T12:00:00.000Z");
  const restored = at("b", "500", "2026-11-21T12:00:00.000Z");
  expect(newestFirst([old, restored])).toEqual([restored, old]);
});

test("the cluster that is there now is the newest, though a clock was ahead for a former one", () => {
  const ahead = at("a", "1000", "2027-11-20T12:00:00.000Z");
  const [first, second] = [at("b", "500", "2026-11-21T12:00:00.000Z"), at("b", "501", "2026-11-21T13:00:00.000Z")];
  expect(newestFirst([first, ahead, second], ["b"])).toEqual([second, first, ahead]);
  expect(newestFirst([first, ahead, second], ["none"])).toEqual([ahead, second, first]);
});

test("the order does not depend on the order before", () => {
  const one = fc.record({
    clusterId: fc.constantFrom("a", "b", "c"),
    revision: fc.nat(5).map(String),
    createdAt: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"),
  });
  fc.assert(
    fc.property(fc.array(one), (list) => {
      expect(newestFirst(list.toReversed())).toEqual(newestFirst(list));
    }),
  );
});
