import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

test("members of teams are those that their stacks have made an account or a new token for, or know the way to", () => {
  const { teams, teamMembers } = resolve(
    { teams: ["maps", "acme/games/eu"] },
    {
      ...context,
      served: [
        { estimators: { jakarta: "KUBECONFIG" }, replacedTokens: { jakarta: "2026-01-01T00:00:00Z" } },
        {
          replacedTokens: { bandung: "2026-02-01T00:00:00Z" },
          writtenTokens: { bandung: "2026-02-02T00:00:00Z" },
          ways: { bandung: "a", medan: "b" },
        },
        {},
      ],
    },
  );
  expect(teams).toEqual(["maps", "acme/games/eu"]);
  expect(teamMembers).toEqual([
    { name: "jakarta", estimator: "KUBECONFIG", replaced: "2026-01-01T00:00:00Z" },
    { name: "bandung", replaced: "2026-02-01T00:00:00Z", written: "2026-02-02T00:00:00Z", way: "a" },
    { name: "medan", way: "b" },
  ]);
  expect(resolve({}, context).teamMembers).toEqual([]);
});

test("a team that is not the name of a stack is refused", () => {
  const want = 'want the name of a stack such as "maps" or "organization/karmada/maps"';
  expect(problemsOf({ teams: ["maps", "a/b/c/d", "my maps"] })).toEqual([
    `teams[1]: got "a/b/c/d", ${want}`,
    `teams[2]: got "my maps", ${want}`,
  ]);
});
