import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const problems = (...overrides: object[]) => problemsOf({ etcd: { kind: "managed", overrides } });
const events = { name: "events", resources: ["/events"] };

test("one etcd holds everything unless others are named; each of those has one member", () => {
  expect(resolve({}, context).etcd).toMatchObject({ overrides: [] });
  expect(resolve({ etcd: { kind: "managed", overrides: [events] } }, context).etcd).toMatchObject({
    overrides: [{ ...events, members: 1, quota: "8Gi", replace: {} }],
  });
});

test("kinds whose objects would be left behind, or that are not kube-apiserver's own, are refused", () => {
  expect(problems({ name: "works", resources: ["work.karmada.io/works", "/secrets"] })).toEqual(
    [0, 1].map((i) =>
      expect.stringMatching(
        new RegExp(
          `^etcd.overrides\\[0\\].resources\\[${i}\\]: got ".*", want "/events" or "coordination.k8s.io/leases"$`,
        ),
      ),
    ),
  );
  expect(problems({ name: "none", resources: [] })).toEqual([
    "etcd.overrides[0].resources: got an empty list, want at least one",
  ]);
});

test("a name and a kind are given once, an even number of members is refused, only a member can be replaced", () => {
  expect(problems({ ...events, members: 2 }, { ...events, name: "Events" })).toEqual([
    "etcd.overrides[0].members: got 2, want 1, 3, 5 or 7 (a quorum of 2 needs 2: no more losses are survived than with 1)",
    'etcd.overrides[1].name: got "Events", want a short name of letters and digits such as "events"',
  ]);
  expect(problems(events, { ...events, replace: { "etcd-events-1": 1, "etcd-0": 1 } })).toEqual([
    'etcd.overrides[1].name: got "events" a second time, want another name',
    'etcd.overrides[1].resources[0]: got "/events", which events holds already',
    "etcd.overrides[1].replace.etcd-events-1: no member has this name, want one of etcd-events-0",
    "etcd.overrides[1].replace.etcd-0: no member has this name, want one of etcd-events-0",
  ]);
});
