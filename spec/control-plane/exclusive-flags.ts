import type { Problem } from "../problems.ts";

/** Finds flags in the place of which a configuration file is given, with both of which kube-apiserver does not start. */
export function checkExclusiveFlags(
  { extraArgs }: { readonly extraArgs: Readonly<Record<string, unknown>> },
  path: Problem["path"],
): Problem[] {
  return instead.flatMap(({ file, flags, where }) => {
    const beside = isGiven(extraArgs, file) ? Object.keys(extraArgs).filter((flag) => flags.test(flag)) : [];
    if (beside.length === 0) return [];
    const message = `got ${beside.join(" and ")} beside it, want one or the other: kube-apiserver does not start with both; what they say goes into its file, as ${where}`;
    return [{ path: [...path, "extraArgs", file], message }];
  });
}

/** Whether a flag is there with a value: kube-apiserver takes an empty name of a file for none. */
export const isGiven = (extraArgs: Readonly<Record<string, unknown>>, flag: string): boolean =>
  (extraArgs[flag] ?? "") !== "";

/** Validate() of authentication.go and authorization.go in kubernetes/pkg/kubeapiserver/options, 1.34 and 1.35. */
const instead = [
  { file: "authentication-config", flags: /^oidc-/, where: "an entry of `jwt`" },
  { file: "authorization-config", flags: /^authorization-(mode$|webhook-)/, where: "entries of `authorizers`" },
];
