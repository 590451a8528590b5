import fc from "fast-check";
import { closest } from "../../spec/closest.ts";

test.each([
  ["nmae", "name"],
  ["featuregates", "featureGates"],
  ["max-request-inflight", "max-requests-inflight"],
])("%s was meant to be %s", (word, meant) => {
  expect(closest(word, ["name", "featureGates", "max-requests-inflight"])).toBe(meant);
});

test("nothing is proposed when nothing is near", () => {
  expect(closest("colour", ["name", "featureGates"])).toBeUndefined();
});

test("a word that is there is its own closest", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, selector: (w) => w.toLowerCase() }),
      (words) => {
        for (const word of words) expect(closest(word, words)).toBe(word);
      },
    ),
  );
});
