import { stepProblem } from "../../spec/upgrade-path.ts";

test.each([
  ["1.17.1", "1.18.2"],
  ["1.17.1", "1.17.4"],
  ["1.17.4", "1.17.1"],
  ["1.18.2", "1.18.2"],
])("from %s to %s is a step that is promised to work", (from, to) => {
  expect(stepProblem({ from, to })).toBeUndefined();
});

test.each([
  ["1.18.2", "1.17.1", "1.18.2 is there, and nobody promises that 1.17.1 reads what it has written"],
  ["2.0.0", "1.99.0", "2.0.0 is there, and nobody promises that 1.99.0 reads what it has written"],
  ["1.16.3", "1.18.2", "1.16.3 is there, and nobody promises that the versions before 1.18.2 can be skipped"],
  ["1.18.2", "2.0.0", "1.18.2 is there, and nobody promises that the versions before 2.0.0 can be skipped"],
])("from %s to %s is none", (from, to, problem) => {
  expect(stepProblem({ from, to })).toBe(problem);
});
