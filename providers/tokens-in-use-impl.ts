import { connect } from "../lib/kube/client.ts";
import { paths } from "../lib/members/names.ts";
import { notesOf, noteUse } from "../lib/members/token-notes.ts";
import { restartPrograms } from "../lib/programs/restart.ts";
import { implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { TokensInUseInputs } from "./tokens-in-use.ts";

const implemented = implement<TokensInUseInputs, object>({
  inputs: { tokens: "update", written: "update", karmadaKubeconfig: "ignore", tokenHolders: "ignore" },
  id: () => "tokens-in-use",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: (inputs) => use(inputs, {}),
  update: use,
  delete: () => Promise.resolve(),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig"]);

/**
 * Programs that start while a token is being replaced again may have either: only the token from before their start is
 * noted.
 */
async function use(
  { tokens, written = {}, karmadaKubeconfig, tokenHolders: { runtime, programs } }: TokensInUseInputs,
  { tokens: tokensBefore = {}, written: writtenBefore = {} }: Partial<TokensInUseInputs>,
): Promise<object> {
  const plane = await connect(karmadaKubeconfig);
  const changed = Object.entries(tokens).filter(
    ([member, since]) => tokensBefore[member] !== since || writtenBefore[member] !== written[member],
  );
  const found = await Promise.all(
    changed.map(async ([member, since]) => ({ member, since, notes: notesOf(await plane.find(paths.secret(member))) })),
  );
  const current = found.filter(({ since, notes }) => notes.made === since);
  for (const { member } of found.filter((each) => !current.includes(each)))
    console.warn(`${member}: has another token by now, or none; bring its stack up, then this one again`);
  const unused = current.filter(({ since, notes }) => notes.used !== since);
  if (unused.length === 0) return {};
  await restartPrograms(runtime, programs);
  await Promise.all(unused.map(({ member, since }) => noteUse(plane, member, since)));
  return {};
}
