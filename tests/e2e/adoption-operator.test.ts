import { jest } from "@jest/globals";
import { hasKubernetesLab } from "../support/kubernetes-lab.ts";
import { testAdoptionOf } from "./support/adoption-of.ts";
import { operator } from "./support/installers/operator.ts";

jest.setTimeout(500_000);

(hasKubernetesLab(operator.packages) ? describe : describe.skip)("a Karmada that karmada-operator built", () => {
  testAdoptionOf(operator, { number: 29, labPort: 29520, memberPort: 29540 });
});
