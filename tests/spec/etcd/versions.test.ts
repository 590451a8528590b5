import { aboutToAgreeOn, etcdVersionChange, etcdVersionProblem } from "../../../spec/etcd/versions.ts";

const all = (version: string, size = 3) => ({
  members: Array.from({ length: size }, () => version),
  cluster: `${version.split(".").slice(0, 2).join(".")}.0`,
});

describe("a version of etcd", () => {
  test.each([
    ["3.6.6", "3.6.6", "none"],
    ["3.6.6", "3.6.8", "patch"],
    ["3.6.8", "3.6.6", "patch"],
    ["3.4.23", "3.5.30", "upgrade"],
    ["3.5.26", "3.6.8", "upgrade"],
    ["3.6.14", "3.7.1", "upgrade"],
    ["3.6.6", "3.5.30", "downgrade"],
    ["3.7.1", "3.6.6", "downgrade"],
  ] as const)("from %s to %s is allowed: %s", (from, to, change) => {
    expect(etcdVersionChange(all(from), to)).toBe(change);
    expect(etcdVersionProblem(all(from), to)).toBeUndefined();
  });

  test.each([
    [
      "3.5.16",
      "3.6.6",
      /^etcd 3\.6 needs every member at 3\.5\.26 or later \(now 3\.5\.16\): .*; set the version to the newest 3\.5 first$/,
    ],
    ["3.4.23", "3.6.6", "etcd goes up one minor version at a time: from 3.4 to 3.5 first, then to 3.6.6"],
    ["3.5.30", "3.7.1", "etcd goes up one minor version at a time: from 3.5 to 3.6 first, then to 3.7.1"],
    ["3.4.23", "3.5.2", "etcd 3.5.2 can lose data (3.5.0 to 3.5.2); choose a later patch of 3.5"],
    ["3.4.23", "3.5.0", "etcd 3.5.0 can lose data (3.5.0 to 3.5.2); choose a later patch of 3.5"],
    [
      "3.5.30",
      "3.4.23",
      "etcd 3.5 cannot go back to 3.4.23 (only 3.6 and later can); restore a snapshot that 3.4 made",
    ],
    ["3.7.1", "3.5.30", "etcd goes down one minor version at a time: from 3.7 to 3.6 first, then to 3.5.30"],
  ])("from %s to %s is refused", (from, to, problem) => {
    expect(etcdVersionProblem(all(from), to)).toEqual(
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    );
  });

  test("one member that is too old holds the upgrade back", () => {
    const now = { members: ["3.5.30", "3.5.25", "3.5.30"], cluster: "3.5.0" };
    expect(etcdVersionProblem(now, "3.6.8")).toMatch(/\(now 3\.5\.25\)/);
  });

  test("an upgrade that stopped half-way goes on, and back, without etcd's leave", () => {
    const now = { members: ["3.6.6", "3.5.30", "3.5.30"], cluster: "3.5.0" };
    expect(etcdVersionProblem(now, "3.6.6")).toBeUndefined();
    expect(etcdVersionChange(now, "3.5.30")).toBe("patch");
    expect(etcdVersionProblem(now, "3.5.30")).toBeUndefined();
  });
});

test("a cluster is about to agree on the lowest minor version of its members", () => {
  expect(aboutToAgreeOn({ members: ["3.6.6", "3.6.8"], cluster: "3.5.0" })).toBe("3.6.0");
  expect(aboutToAgreeOn({ members: ["3.10.1", "3.9.2"], cluster: "3.8.0" })).toBe("3.9.0");
  expect(aboutToAgreeOn({ members: ["3.6.6", "3.5.30"], cluster: "3.5.0" })).toBeUndefined();
  expect(aboutToAgreeOn({ members: ["3.6.6"], cluster: "3.6.0" })).toBeUndefined();
  expect(aboutToAgreeOn({ members: [], cluster: "3.6.0" })).toBeUndefined();
});
