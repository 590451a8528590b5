import { usualFlags } from "../../lib/adoption/usual-flags.ts";
import type { ProgramName, Workload } from "../../lib/adoption/workloads.ts";

interface Carried {
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

type Flag = readonly [name: string, value: string];

/** What goes along of the flags that somebody wished for, and a note about each that does not. */
export function carriedFlags({ program, name, flags }: Workload): Carried {
  const own = Object.entries(flags).filter(([flag]) => !isUsual(program, flag));
  const stays = (flag: Flag) => program === "karmada-scheduler-estimator" || !isPortable(flag);
  const torn = [own.filter(([flag]) => isOfOidc(flag))].filter((group) => group.some(stays));
  const single = own.filter((flag) => stays(flag) && !torn.flat().includes(flag));
  const carried = own.filter((flag) => !stays(flag) && !torn.flat().includes(flag));
  return {
    extraArgs: Object.fromEntries(carried.map(([flag, value]) => [flag, value === "" ? "true" : value])),
    notes: [
      ...single.map((flag) => `${name}: ${shown(flag)} is not carried over`),
      ...torn.map(
        (group) =>
          `${name}: ${group.map(shown).join(" ")}: none of these is carried over, since ${group.filter(stays).map(shown).join(" ")} cannot be and they work together only: give them to controlPlane.${program} by hand (extraArgs, files)`,
      ),
    ],
  };
}

/** The set of controllers is the operator's choice only where there is one. */
const isUsual = (program: ProgramName, flag: string): boolean =>
  flag === "controllers" ? program === "kube-controller-manager" : usualFlags.has(flag);

/** With some of these and without the others API servers do not start, or let in whom they did not. */
const isOfOidc = (flag: string): boolean => flag.startsWith("oidc-");

/** Whether a value means the same elsewhere: no file, and nothing that a pod fills in. */
function isPortable([flag, value]: Flag): boolean {
  if (value.includes("$(")) return false;
  const isFile = value.includes("/") && !/^https?:\/\//.test(value);
  return isOfOidc(flag) ? flag !== "oidc-ca-file" : !isFile;
}

const shown = ([flag, value]: Flag): string => `--${flag}=${value}`;
