import { connect } from "../lib/kube/client.ts";
import { type Served, servedBy } from "../lib/members/served.ts";
import { groupOf } from "../spec/addons/object-scope.ts";
import type { SelectedKind } from "../spec/policies/selected-kinds.ts";
import { membersTestedWith } from "../spec/versions.ts";
import { implement } from "./implementation.ts";
import type { MemberApisInputs } from "./member-apis.ts";

export const provider = implement<MemberApisInputs, Readonly<Record<never, never>>>({
  inputs: { kubeconfigs: "ignore", selected: "ignore", karmada: "ignore" },
  id: () => "members-apis",
  derive: async ({ kubeconfigs = {}, selected = [], karmada }) => {
    const looks = Object.entries(kubeconfigs).map(async ([name, kubeconfig]) => {
      const found = await look(kubeconfig, wantedIn(name, selected));
      return found === undefined ? [] : [[name, found] as const];
    });
    const seen = (await Promise.all(looks)).flat();
    for (const sentence of [...missingKinds(seen, selected), ...untested(seen, karmada)]) console.warn(sentence);
    return { inputs: { kubeconfigs: {} } };
  },
  create: () => Promise.resolve({}),
  update: () => Promise.resolve({}),
  delete: () => Promise.resolve(),
});

type Seen = readonly (readonly [member: string, served: Served])[];

const patience = { milliseconds: 2000 };

const wantedIn = (member: string, selected: readonly SelectedKind[]): SelectedKind[] =>
  selected.filter(({ members }) => members.includes(member));

/** Nothing for a member that does not answer, or does not exist yet: that is reported elsewhere. */
async function look(kubeconfig: string | undefined, wanted: readonly SelectedKind[]): Promise<Served | undefined> {
  try {
    if (kubeconfig === undefined) return undefined;
    return await servedBy(await connect(kubeconfig), wanted, AbortSignal.timeout(patience.milliseconds));
  } catch {
    return undefined;
  }
}

/** A sentence for each kind and each way in which members do not serve it. */
function missingKinds(seen: Seen, selected: readonly SelectedKind[]): string[] {
  return selected.flatMap(({ apiVersion, kind, by }) => {
    const lacking = new Map<string, string[]>();
    for (const [member, { missing }] of seen) {
      const found = missing.find((each) => each.apiVersion === apiVersion && each.kind === kind);
      if (found === undefined) continue;
      const elsewhere = found.elsewhere.join(", ");
      lacking.set(elsewhere, [...(lacking.get(elsewhere) ?? []), member]);
    }
    return [...lacking].map(([elsewhere, members]) => {
      const what = elsewhere === "" ? "not served there" : `served there as ${elsewhere} only`;
      return (
        `${members.join(", ")}: ${apiVersion} ${kind}, which ${by.join(", ")} places there, is ${what}\n` +
        `Karmada puts nothing new of it into such members: ${toDo(apiVersion, elsewhere)}, or choose other members`
      );
    });
  });
}

function toDo(apiVersion: string, elsewhere: string): string {
  if (elsewhere !== "") return "name a version that the control plane and all members serve";
  return groupOf({ apiVersion }).includes(".")
    ? "bring its CustomResourceDefinition there, by an addon for instance"
    : "correct its version and kind";
}

/** A sentence for each version of members that Karmada is not tested with. */
function untested(seen: Seen, karmada: string | undefined): string[] {
  const tested = karmada === undefined ? undefined : membersTestedWith(karmada);
  if (tested === undefined) return [];
  const [oldest, newest] = tested;
  const others = new Map<string, string[]>();
  for (const [member, { version }] of seen)
    if (minor(version) < minor(oldest) || minor(version) > minor(newest))
      others.set(version, [...(others.get(version) ?? []), member]);
  return [...others].map(
    ([version, members]) =>
      `${members.join(", ")}: Kubernetes ${version} there, Karmada ${karmada} is tested with members of ${oldest} to ${newest}\n` +
      "nothing is refused for it: try what you use there, or bring the member to one of these versions",
  );
}

/** 35 for `v1.35.3+k3s1`. */
const minor = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? NaN);
