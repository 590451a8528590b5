import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const graded = (...resourceModels: object[]) => ({ members: [simulated("m", { resourceModels })] });
const grade = (grade: number, ...ranges: object[]) => ({ grade, ranges });
const cpu = (min: unknown, max?: unknown) => ({ name: "cpu", min, ...(max !== undefined && { max }) });
const memory = (min: unknown, max?: unknown) => ({ ...cpu(min, max), name: "memory" });

test("grades follow each other for each resource, from nothing to without an end", () => {
  const models = [grade(0, cpu(0, 4), memory(0, "16Gi")), grade(3, cpu("4"), memory("16Gi"))];
  expect(resolve(graded(...models), context).members[0]!.resourceModels).toEqual([
    { grade: 0, ranges: [cpu("0", "4"), memory("0", "16Gi")] },
    { grade: 3, ranges: [cpu("4"), memory("16Gi")] },
  ]);
});

test.each([
  ["a grade twice", [grade(1, cpu(0, 4)), grade(1, cpu(4))], "[1].grade: got 1, want more than 1, the grade before"],
  [
    "another order of resources",
    [grade(0, cpu(0, 4), memory(0, 4)), grade(1, memory(4), cpu(4))],
    "[1].ranges: got memory, cpu, want cpu, memory, as in the first grade",
  ],
  [
    "a beginning above nothing",
    [grade(0, cpu(1))],
    "[0].ranges[0].min: got 1, want 0: the first grade begins with nothing",
  ],
  [
    "a gap",
    [grade(0, cpu(0, 4)), grade(1, cpu(5))],
    "[1].ranges[0].min: got 5, want 4: there the grade before ends for cpu, written alike",
  ],
  [
    "the same amount written otherwise",
    [grade(0, memory(0, "4Gi")), grade(1, memory("4096Mi"))],
    "[1].ranges[0].min: got 4096Mi, want 4Gi: there the grade before ends for memory, written alike",
  ],
  ["an end in the last", [grade(0, cpu(0, 4))], "[0].ranges[0].max: got 4, want none: the last grade has no end"],
  [
    "no end in another",
    [grade(0, cpu(0)), grade(1, cpu(4))],
    "[0].ranges[0].max: missing, want where the next grade begins",
  ],
  [
    "an end before the beginning",
    [grade(0, cpu(0, "2000m")), grade(1, cpu("2000m", 1)), grade(2, cpu(1))],
    "[1].ranges[0].max: got 1, want more than 2000m",
  ],
  ["no amount", [grade(0, cpu("much"))], '[0].ranges[0].min: got "much", want an amount such as 4, "500m" or "16Gi"'],
])("%s is refused, as Karmada would", (_, models, problem) => {
  expect(problemsOf(graded(...models))).toEqual([`members[0].resourceModels${problem}`]);
});

test("a zone is named once", () => {
  expect(problemsOf({ members: [simulated("m", { zones: ["a", "b", "a"] })] })).toEqual([
    'members[0].zones[2]: got "a", want each zone once',
  ]);
});
