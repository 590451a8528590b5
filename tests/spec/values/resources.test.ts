import { problemsOf } from "../configuration.ts";

const problems = (resources: object) => problemsOf({ controlPlane: { "karmada-search": { resources } } });
const at = "controlPlane.karmada-search.resources.requests";

test("more than the limit is not kept for a program, which the host cluster refuses", () => {
  expect(problems({ memory: "1Gi", cpu: "1500m", requests: { memory: "1024Mi", cpu: "1500m" } })).toEqual([]);
  expect(problems({ memory: "1Gi", cpu: "500m", requests: { memory: "1025Mi", cpu: "1" } })).toEqual([
    `${at}.memory: got "1025Mi", want at most "1Gi", which is the limit`,
    `${at}.cpu: got "1", want at most "500m", which is the limit`,
  ]);
});

test("requests need no limits", () => {
  expect(problems({ requests: { memory: "1Gi", cpu: "2" } })).toEqual([]);
  expect(problems({ cpu: "1", requests: { memory: "1Gi" } })).toEqual([]);
});
