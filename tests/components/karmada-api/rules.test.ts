import { componentRules, propagateRbacRule } from "../../../components/karmada-api/rules.ts";

const rulesOf = Object.values(componentRules).flat();

describe("the rights of components", () => {
  test("nobody may do everything", () => {
    expect(rulesOf.filter(({ verbs }) => verbs.includes("*"))).toEqual([]);
  });

  test("karmada-search reads every kind, and only karmada-controller-manager writes it, and creates none by that", () => {
    const everywhere = Object.entries(componentRules).flatMap(([component, rules]) =>
      rules.filter(({ resources }) => resources.includes("*")).map(({ verbs }) => [component, verbs]),
    );
    const read = ["get", "list", "watch"];
    expect(everywhere).toEqual([
      ["karmada-search", read],
      ["karmada-controller-manager", [...read, "update", "patch"]],
    ]);
  });

  test("bind and escalate come with the propagation of roles and not otherwise", () => {
    expect(propagateRbacRule.verbs).toEqual(["bind", "escalate"]);
    expect(rulesOf.flatMap(({ verbs }) => verbs)).not.toContain("escalate");
    expect(rulesOf.flatMap(({ verbs }) => verbs)).not.toContain("bind");
  });

  test("secrets are read by the servers that need them and by karmada-controller-manager", () => {
    const readers = Object.entries(componentRules).filter(([, rules]) =>
      rules.some(
        ({ resources, verbs }) => resources.some((r) => r === "secrets" || r === "*") && verbs.includes("get"),
      ),
    );
    expect(readers.map(([component]) => component)).toEqual([
      "karmada-aggregated-apiserver",
      "karmada-search",
      "karmada-metrics-adapter",
      "karmada-controller-manager",
    ]);
  });
});
