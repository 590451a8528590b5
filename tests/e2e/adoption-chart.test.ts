import { jest } from "@jest/globals";
import { hasKubernetesLab } from "../support/kubernetes-lab.ts";
import { testAdoptionOf } from "./support/adoption-of.ts";
import { chart } from "./support/installers/chart.ts";

jest.setTimeout(500_000);

(hasKubernetesLab(chart.packages) ? describe : describe.skip)("a Karmada that its Helm chart built", () => {
  testAdoptionOf(chart, { number: 28, labPort: 29480, memberPort: 29500 });
});
