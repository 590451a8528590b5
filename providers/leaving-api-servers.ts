import { isDeepStrictEqual } from "node:util";
import { redirected } from "../lib/kube/redirected.ts";
import { serves } from "../lib/kube/serves.ts";
import type { Before, Problem } from "./implementation.ts";
import type { PlaneVersionsInputs } from "./plane-versions.ts";

type Inputs = Partial<PlaneVersionsInputs>;

/**
 * API servers that are not declared any more: those of the last run serve until the end of this one, and earlier ones as
 * long as they answer, since their `up` may have been interrupted before it ended them.
 */
export async function leavingServers(
  { servers = [], karmadaKubeconfig }: Inputs,
  { inputs: then = {} }: Before<PlaneVersionsInputs>,
): Promise<Pick<Inputs, "leaving">> {
  const kubeconfig = karmadaKubeconfig ?? then.karmadaKubeconfig;
  const left = (then.servers ?? []).filter((url) => !servers.includes(url));
  const earlier = (then.leaving ?? []).filter((url) => !servers.includes(url) && !left.includes(url));
  const answer = async (url: string) =>
    kubeconfig !== undefined && (await serves(redirected(kubeconfig, url))) === "yes";
  const answers = await Promise.all(earlier.map(answer));
  const leaving = [...left, ...earlier.filter((_, i) => answers[i])];
  return leaving.length === 0 ? {} : { leaving };
}

/** Refuses to change how data are written while API servers that are about to go write them as before. */
export function writesOtherwise(
  { leaving = [], ...inputs }: Inputs,
  { inputs: then = {} }: Before<PlaneVersionsInputs>,
): Problem[] {
  if (leaving.length === 0) return [];
  const pending = pendingOf(then);
  const isOther = !isDeepStrictEqual(settingsOf(inputs), settingsOf(then));
  if (!isOther && pending.length === 0) return [];
  const why =
    `API servers that are taken away serve until \`up\` ends, with the former settings: ${leaving.join(", ")}; ` +
    "what is written through them would stay as it was, and what others write they may not be able to read";
  const remedy = isOther
    ? "run up with controlPlane.encryption as it was first, then change it"
    : `run up with them once more first, which encrypts ${pending.join(", ")}, then take them away`;
  return [{ property: "encryption", reason: `${why}\n${remedy}` }];
}

/** What every API server was told to read, and is told to encrypt by the next `up`. */
const pendingOf = ({ encryption, encrypting, encrypted }: Inputs): string[] =>
  encryption === "secretbox" && encrypted !== undefined
    ? (encrypting?.resources ?? []).filter((resource) => !encrypted.includes(resource))
    : [];

const settingsOf = ({ encryption, encrypting }: Inputs) => [encryption, encrypting];
