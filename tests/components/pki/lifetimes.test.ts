import fc from "fast-check";
import { authorityRenewalHours, lifetimesOf } from "../../../components/pki/lifetimes.ts";

const renewal = (authorityHours: number, leafHours: number, renewBeforeHours: number) =>
  authorityRenewalHours({ authorityHours, leafHours, renewBeforeHours });

test("an hour that begins counts as a whole one", () => {
  const declared = { authorityValidity: "87600h", certificateValidity: "90m", renewBefore: "1799s" } as const;
  expect(lifetimesOf(declared)).toEqual({ authorityHours: 87600, leafHours: 2, renewBeforeHours: 1 });
});

test.each([
  ["as soon as a leaf would outlive it", 87600, 8760, 720, 8760],
  ["in its second half, if it is hardly valid for longer than its leaves", 8760, 8760, 720, 4380],
  ["no later than its leaves, if those are renewed before that", 100, 100, 90, 90],
  ["at its end, if it is valid for an hour", 1, 1, 0, 0],
])("an authority is renewed %s", (_, authority, leaf, renewBefore, hours) => {
  expect(renewal(authority, leaf, renewBefore)).toBe(hours);
});

const lifetimes = fc
  .tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 500 })))
  .map((numbers) => numbers.sort((a, b) => b - a) as [number, number, number])
  .filter(([, leaf, renewBefore]) => renewBefore < leaf);

test("no `up` renews what the one before has renewed, and who keeps leaves valid keeps authorities valid", () => {
  fc.assert(
    fc.property(lifetimes, ([authority, leaf, renewBefore]) => {
      expect(renewal(authority, leaf, renewBefore)).toBeLessThan(authority);
      expect(renewal(authority, leaf, renewBefore)).toBeGreaterThanOrEqual(renewBefore);
    }),
  );
});

test("a leaf outlives its authority only where that is valid for less than twice as long", () => {
  fc.assert(
    fc.property(lifetimes, ([authority, leaf, renewBefore]) => {
      fc.pre(authority >= 2 * leaf);
      // What has more left than that is kept, and signs leaves.
      expect(renewal(authority, leaf, renewBefore)).toBe(leaf);
    }),
  );
});
