import { isDeepStrictEqual } from "node:util";
import { isToldToAll } from "../../lib/kube/encryption-note.ts";
import { redirected } from "../../lib/kube/redirected.ts";
import { serves } from "../../lib/kube/serves.ts";
import type { Before, Problem } from "../implementation.ts";
import type { ApiServers, PlaneVersionsInputs } from "../plane-versions.ts";

type Inputs = Partial<PlaneVersionsInputs>;

/**
 * API servers that are not declared any more, and serve: those of the last run do until the end of this one, and earlier
 * ones where their `up` was interrupted before it ended them. One whose host has got another address is none, nor one whose
 * host has got another name.
 */
export async function leavingServers(
  { servers = {}, karmadaKubeconfig }: Inputs,
  { inputs: then = {} }: Before<PlaneVersionsInputs>,
): Promise<Pick<Inputs, "leaving">> {
  const kubeconfig = karmadaKubeconfig ?? then.karmadaKubeconfig;
  const urls = Object.values(servers);
  const former = Object.entries({ ...then.leaving, ...then.servers }).filter(
    ([key, url]) => !(key in servers) && !urls.includes(url),
  );
  const answers = async ([key, url]: readonly [string, string]) => {
    if (kubeconfig === undefined) return true;
    const answer = await serves(redirected(kubeconfig, url));
    // With an old certificate it may be ours where it was until now.
    return answer === "yes" || (answer === "distrusted" && then.servers?.[key] === url);
  };
  const serving = await Promise.all(former.map(answers));
  const leaving: ApiServers = Object.fromEntries(former.filter((_, i) => serving[i]));
  return Object.keys(leaving).length === 0 ? {} : { leaving };
}

/** Refuses to change how data are written while API servers that are about to go write them as before. */
export async function writesOtherwise(
  { leaving = {}, ...inputs }: Inputs,
  { inputs: then = {} }: Before<PlaneVersionsInputs>,
): Promise<Problem[]> {
  const going = Object.entries(leaving).map(([key, url]) => `${key} (${url})`);
  if (going.length === 0) return [];
  const isOther = !isDeepStrictEqual(settingsOf(inputs), settingsOf(then));
  const pending = isOther ? [] : await pendingOf(then, inputs.karmadaKubeconfig ?? then.karmadaKubeconfig);
  if (!isOther && pending.length === 0) return [];
  const why =
    `API servers that are taken away serve until \`up\` ends, with the former settings: ${going.join(", ")}; ` +
    "what is written through them would stay as it was, and what others write they may not be able to read";
  const remedy = isOther
    ? "run up with controlPlane.encryption as it was first, then change it"
    : `run up with them once more first, which encrypts ${pending.join(", ")}, then take them away`;
  return [{ property: "encryption", reason: `${why}\n${remedy}` }];
}

/**
 * What every API server was told to read, and is told to encrypt by the next `up`: all, where the last one was interrupted
 * before all of them were told what the state has from its beginning.
 */
async function pendingOf(
  { encryption, encrypting, encrypted, told }: Inputs,
  kubeconfig: string | undefined,
): Promise<string[]> {
  if (encryption === undefined || encryption === "identity" || encrypted === undefined) return [];
  const resources = [...(encrypting?.resources ?? [])];
  const isCutOff = told !== undefined && kubeconfig !== undefined && !(await isToldToAll(kubeconfig, told));
  return isCutOff ? resources : resources.filter((resource) => !encrypted.includes(resource));
}

const settingsOf = ({ encryption, encrypting }: Inputs) => [encryption, encrypting];
