import { zoneWarnings } from "../../../spec/placement/zones.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context } from "../configuration.ts";

const warnings = (
  zones: readonly (string | undefined)[],
  members: number | string[] = zones.length,
  overrides: object[] = [],
) => {
  const hosts = zones.map((zone, i) => ({
    name: `host${i}`,
    address: `10.0.0.1${i}`,
    ssh: { hostKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}` },
    ...(zone !== undefined && { zone }),
  }));
  const placement = { kind: "hosts", ssh: { privateKey: "a key" }, hosts };
  return zoneWarnings(resolve({ placement, etcd: { kind: "managed", members, overrides } }, context));
};

test("three members in two zones: the one with two of them is named, with what would do", () => {
  expect(warnings(["a", "b", "a"])).toEqual([
    "placement.hosts: 2 of 3 members of etcd are in the zone a (host0, host2), which is as good as one place: " +
      "without it there is no quorum; want at most 1 in any zone, so at least 3 zones",
  ]);
});

test("two of three members in the only zone that has a name: it is named, since the third is lost by itself", () => {
  expect(warnings(["a", "a", undefined])).toEqual([
    expect.stringMatching(/^placement\.hosts: 2 of 3 members of etcd are in the zone a \(host0, host1\)/),
  ]);
});

test.each([
  ["three zones", ["a", "b", "c"], 3],
  ["two each of five, and one", ["a", "a", "b", "b", "c"], 5],
  ["zones that nobody named", [undefined, undefined, "a"], 3],
  ["a single zone for all", ["a", "a", "a"], 3],
  ["a single member", ["a", "a", "b"], ["etcd-1"]],
  ["hosts without a member", ["a", "b", "c", "c", "c"], 3],
] as const)("%s: nothing to say", (_, zones, members) => {
  expect(warnings(zones, members as number)).toEqual([]);
});

test("three of five members in a zone are too many, two are not", () => {
  expect(warnings(["a", "a", "a", "b", "b"])).toEqual([
    expect.stringMatching(
      /^placement\.hosts: 3 of 5 .* zone a \(host0, host1, host2\).* at most 2 .* at least 3 zones$/,
    ),
  ]);
});

test("an etcd for some kinds of objects has a quorum of its own", () => {
  const events = { name: "events", resources: ["/events"], members: 3 };
  expect(warnings(["a", "b", "a"], 1, [events])).toEqual([
    expect.stringMatching(/^placement\.hosts: 2 of 3 members of etcd-events are in the zone a \(host0, host2\)/),
  ]);
  expect(warnings(["a", "b", "c"], 1, [events])).toEqual([]);
});
