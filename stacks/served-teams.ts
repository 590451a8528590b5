import { type Served, teams } from "../spec/members/teams.ts";
import { DeploymentStack } from "./deployment-stack.ts";

/** Outputs of the stacks that `teams` names; empty as long as what was typed is invalid. */
export async function servedTeams({ teams: typed }: Readonly<Record<string, unknown>>): Promise<Served[]> {
  const { data: names = [] } = teams.safeParse(typed);
  return Promise.all([...new Set(names)].map((name) => servedBy(name, names.indexOf(name))));
}

async function servedBy(name: string, i: number): Promise<Served> {
  const stack = new DeploymentStack(name, `teams[${i}]`, `team-${name}`);
  const [estimators, replacedTokens, writtenTokens, ways] = await Promise.all([
    stack.value("estimators") as Promise<Served["estimators"]>,
    stack.value("replacedTokens") as Promise<Served["replacedTokens"]>,
    stack.value("writtenTokens") as Promise<Served["writtenTokens"]>,
    stack.value("ways") as Promise<Served["ways"]>,
  ]);
  return {
    ...(estimators && { estimators }),
    ...(replacedTokens && { replacedTokens }),
    ...(writtenTokens && { writtenTokens }),
    ...(ways && { ways }),
  };
}
