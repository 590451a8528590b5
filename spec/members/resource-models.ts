import { z } from "zod";
import { fieldNotes, whole, words } from "../field.ts";

const units: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};
const pattern = /^(\d+(?:\.\d+)?)(m|[kMGTP]|[KMGTP]i)?$/;

/** A quantity in its base unit: 0.5 for `500m`, 1024 for `1Ki`. */
export function amountOf(quantity: string): number {
  const [, number = "", unit = ""] = pattern.exec(quantity) ?? [];
  return Number(number) * units[unit]!;
}

const want = 'an amount such as 4, "500m" or "16Gi"';
const quantity = z
  .union([z.string().regex(pattern, { abort: true }).register(fieldNotes, { want }), z.number().min(0)])
  .register(fieldNotes, { want })
  .transform(String);

const model = z.strictObject({
  grade: whole(0, 1000).describe("Number of the grade; each is above the one before."),
  ranges: z
    .array(
      z.strictObject({
        name: words('the name of a resource such as "cpu"').describe("The resource."),
        min: quantity.describe("What a node of this grade has of it at least; 0 in the first grade."),
        max: quantity
          .optional()
          .describe("What it has less than: where the next grade begins. Left out in the last grade, and only there."),
      }),
    )
    .min(1)
    .describe("How much of each resource, the same ones in the same order in every grade."),
});

export type ResourceModel = z.output<typeof model>;

/** Grades of nodes, as Karmada takes them. */
export const resourceModels = z
  .array(model)
  .min(1)
  .superRefine((models, issue) => {
    models.forEach(({ grade, ranges }, i) => {
      const found = (path: (string | number)[], message: string) =>
        issue.addIssue({ code: "custom", path: [i, ...path], message });
      const before = models[i - 1];
      if (before !== undefined && grade <= before.grade)
        found(["grade"], `got ${grade}, want more than ${before.grade}, the grade before`);
      const names = (of: readonly { readonly name: string }[]) => of.map(({ name }) => name).join(", ");
      if (names(ranges) !== names(models[0]!.ranges))
        return found(["ranges"], `got ${names(ranges)}, want ${names(models[0]!.ranges)}, as in the first grade`);
      ranges.forEach(({ name, min, max }, j) => {
        const at = (field: string) => ["ranges", j, field];
        const begin = before === undefined ? "0" : before.ranges[j]?.max;
        if (begin !== undefined && min !== begin)
          found(
            at("min"),
            `got ${min}, want ${begin}: ${before === undefined ? "the first grade begins with nothing" : `there the grade before ends for ${name}, written alike`}`,
          );
        const isLast = i === models.length - 1;
        if (max === undefined && !isLast) found(at("max"), "missing, want where the next grade begins");
        if (max !== undefined && isLast) found(at("max"), `got ${max}, want none: the last grade has no end`);
        if (max !== undefined && amountOf(max) <= amountOf(min)) found(at("max"), `got ${max}, want more than ${min}`);
      });
    });
  });
