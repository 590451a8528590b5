import { amountOf, type ResourceModel } from "../../spec/members/resource-models.ts";

/** As in the Cluster object: every range has an end. */
interface WrittenModel {
  readonly grade: number;
  readonly ranges: readonly { readonly name: string; readonly min: string; readonly max: string }[];
}

/** How Karmada writes that a range has no end. */
const noEnd = "9223372036854775807";

/** Grades as Karmada takes them. */
export const written = (models: readonly ResourceModel[]): WrittenModel[] =>
  models.map(({ grade, ranges }) => ({
    grade,
    ranges: ranges.map(({ name, min, max = noEnd }) => ({ name, min, max })),
  }));

/** Whether a Cluster has these grades; Karmada normalises quantities, 4096Mi to 4Gi. */
export function areWritten(models: readonly ResourceModel[], found: readonly WrittenModel[] | undefined): boolean {
  const told = (all: readonly WrittenModel[]) =>
    JSON.stringify(
      all.map(({ grade, ranges }) => [
        grade,
        ranges.map(({ name, min, max }) => [name, amountOf(String(min)), amountOf(String(max))]),
      ]),
    );
  return told(written(models)) === told(found ?? []);
}

/** Karmada's defaults for a Cluster created without any. */
export const usualModels: readonly ResourceModel[] = [0, 1, 2, 4, 8, 16, 32, 64, 128].map((cpu, grade, cpus) => {
  const memories = ["0", "4Gi", "16Gi", "32Gi", "64Gi", "128Gi", "256Gi", "512Gi", "1Ti"];
  const range = (name: string, min: string, max: string | undefined) => ({
    name,
    min,
    ...(max !== undefined && { max }),
  });
  const next = cpus[grade + 1];
  return {
    grade,
    ranges: [
      range("cpu", String(cpu), next === undefined ? undefined : String(next)),
      range("memory", memories[grade]!, memories[grade + 1]),
    ],
  };
});
