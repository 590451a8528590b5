import { componentRules, propagateRbacRule } from "../../../components/karmada-api/rules.ts";

const rulesOf = Object.values(componentRules).flat();

describe("the rights of components", () => {
  test("nobody may do everything", () => {
    expect(rulesOf.filter(({ verbs }) => verbs.includes("*"))).toEqual([]);
  });

  test("only karmada-controller-manager touches every kind, and creates none by that", () => {
    const everywhere = Object.entries(componentRules).filter(([, rules]) =>
      rules.some(({ resources }) => resources.includes("*")),
    );
    expect(everywhere.map(([component]) => component)).toEqual(["karmada-controller-manager"]);
    expect(rulesOf.find(({ resources }) => resources.includes("*"))?.verbs).toEqual([
      "get",
      "list",
      "watch",
      "update",
      "patch",
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
