import { connect } from "../lib/kube/client.ts";
import { noteUse, given } from "../lib/members/token-use.ts";
import { restartPrograms } from "../lib/programs/restart.ts";
import { implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { TokensInUseInputs } from "./tokens-in-use.ts";

const implemented = implement<TokensInUseInputs, object>({
  inputs: { tokens: "update", karmadaKubeconfig: "ignore", tokenHolders: "ignore" },
  id: () => "tokens-in-use",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: (inputs) => use(inputs, {}),
  update: (inputs, { tokens }) => use(inputs, tokens),
  delete: () => Promise.resolve(),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig"]);

/**
 * Programs that start while a token is being replaced again may have either: only the token from before their start is
 * noted.
 */
async function use(
  { tokens, karmadaKubeconfig, tokenHolders: { runtime, programs } }: TokensInUseInputs,
  before: Readonly<Record<string, string>>,
): Promise<object> {
  const plane = await connect(karmadaKubeconfig);
  const changed = Object.entries(tokens).filter(([member, since]) => before[member] !== since);
  const found = await Promise.all(
    changed.map(async ([member, since]) => ({ member, since, given: await given(plane, member) })),
  );
  const current = found.filter((each) => each.given === each.since);
  for (const { member } of found.filter((each) => !current.includes(each)))
    console.warn(`${member}: has another token by now, or none; bring its stack up, then this one again`);
  if (current.length === 0) return {};
  await restartPrograms(runtime, programs);
  await Promise.all(current.map(({ member, since }) => noteUse(plane, member, since)));
  return {};
}
