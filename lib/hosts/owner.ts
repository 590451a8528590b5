import { basename } from "node:path";
import { hostPaths } from "./layout.ts";
import { quote } from "./quote.ts";
import { replaceFile } from "./replace-files.ts";

/** Only one at a time checks who has a host and takes it. */
const lock = "/run/karmada-deployment.lock";

/** Shell commands that put the name of the deployment that has the host into `$owner`; empty if none has. */
const askOwner = `owner=; [ ! -e ${hostPaths.deployment} ] || read -r owner <${hostPaths.deployment} || true`;

const isAnother = (deployment: string): string => `[ -n "$owner" ] && [ "$owner" != ${quote(deployment)} ]`;

const refuse = `{ echo "deployment \\"$owner\\" has it" >&2; echo "destroy that one first, or use another host" >&2; exit 1; }`;

/**
 * Shell commands that take a host for a deployment, and fail if another one has it. On failure they leave no trace, and
 * there is never a directory without the owner's name in it.
 */
export const claimScript = (deployment: string): string =>
  [
    `(`,
    `flock 9`,
    askOwner,
    `! { ${isAnother(deployment)}; } || ${refuse}`,
    `[ -z "$owner" ] || exit 0`,
    `if [ -d ${hostPaths.files} ]; then`,
    replaceFile(hostPaths.deployment, deployment, "644", "root:root"),
    `exit 0`,
    `fi`,
    `rm -rf ${coming}`,
    `trap 'rm -rf ${coming}' EXIT`,
    `install -d -m 755 ${coming}`,
    replaceFile(`${coming}/${basename(hostPaths.deployment)}`, deployment, "644", "root:root"),
    `mv -T ${coming} ${hostPaths.files}`,
    `) 9>${lock}`,
  ].join("\n");

/** Renamed to the directory that says whose the host is. */
const coming = `${hostPaths.files}.new`;

/** Shell commands that fail if another deployment than the one about to write has the host. */
export const unlessTakenByAnother = (deployment: string): string =>
  [askOwner, `! { ${isAnother(deployment)}; } || ${refuse}`].join("\n");

/**
 * Shell commands that end a script successfully if another deployment has the host.
 *
 * @param first command that is run before it ends, which finds that name in `$owner`
 */
export const unlessOfAnother = (deployment: string, first = ":"): string =>
  [askOwner, `! { ${isAnother(deployment)}; } || { ${first}; return 0; }`].join("\n");

/** Shell commands that end a script successfully unless this deployment has the host. */
export const onlyOf = (deployment: string): string =>
  [askOwner, `[ "$owner" = ${quote(deployment)} ] || return 0`].join("\n");
