import { ownValues } from "../../lib/adoption/usual-flags.ts";
import { estimator, type Workload } from "../../lib/adoption/workloads.ts";
import { serviceAccountIssuer } from "../../spec/placement/kubernetes-choices.ts";

interface Carried {
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

type Flag = readonly [name: string, value: string];

/** What goes along of the flags that somebody wished for, and a note about each that does not. */
export function carriedFlags({ program, name, values }: Workload): Carried {
  const own = Object.entries(values).flatMap(([flag, given]) =>
    ownValues(program, flag, given).map((value): Flag => [flag, value]),
  );
  const isRepeated = ([flag]: Flag) => own.filter(([each]) => each === flag).length > 1;
  const stay = own.filter((flag) => program === estimator || isRepeated(flag) || !isPortable(flag));
  const torn = together
    .map((isOfGroup) => own.filter(([flag]) => isOfGroup(flag)))
    .filter((group) => group.length > 1 && group.some((flag) => stay.includes(flag)));
  const carried = own.filter((flag) => !stay.includes(flag) && !torn.flat().includes(flag));
  return {
    extraArgs: Object.fromEntries(carried.map(([flag, value]) => [flag, value === "" ? "true" : value])),
    notes: [
      ...stay
        .filter((flag) => !torn.flat().includes(flag))
        .map((flag) => `${name}: ${shown(flag)} is not carried over`),
      ...torn.map((group) => {
        const why = `since ${allOf(group.filter((flag) => stay.includes(flag)))} cannot be and they work together only`;
        return `${name}: ${allOf(group)}: none of these is carried over, ${why}: give them to controlPlane.${program} by hand (extraArgs, files)`;
      }),
      ...carried
        .filter(([flag]) => flag === "service-account-issuer")
        .map(([, issuer]) => `tokens are issued by ${serviceAccountIssuer} from now on; those of ${issuer} stay valid`),
    ],
  };
}

const isOfOidc = (flag: string): boolean => flag.startsWith("oidc-");

/** With some of such a group and without the others API servers do not start, or let in whom they did not. */
const together: readonly ((flag: string) => boolean)[] = [
  isOfOidc,
  (flag) => ["admission-control-config-file", "enable-admission-plugins"].includes(flag),
];

/** Whether it means the same here: no file, nothing that a pod fills in, nothing that others here rely on. */
function isPortable([flag, value]: Flag): boolean {
  if (value.includes("$(") || fixed.has(flag)) return false;
  if (isOfOidc(flag)) return flag !== "oidc-ca-file";
  return !value.includes("/") || /^https?:\/\//.test(value) || withSlashes.has(flag);
}

const fixed: ReadonlySet<string> = new Set([
  "authorization-mode",
  "enable-bootstrap-token-auth",
  "use-service-account-credentials",
]);

/** Versions of APIs, and ranges of addresses. */
const withSlashes: ReadonlySet<string> = new Set(["runtime-config", "service-cluster-ip-range"]);

const shown = ([flag, value]: Flag): string => `--${flag}=${value}`;
const allOf = (flags: readonly Flag[]): string => flags.map(shown).join(" ");
