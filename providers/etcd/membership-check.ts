import type { EtcdMembershipInputs } from "../etcd-membership.ts";
import type { Problem } from "../implementation.ts";
import { checkEtcd } from "./check.ts";

/** All problems of the members that can be found without looking at the cluster. */
export function checkMembership(inputs: Partial<EtcdMembershipInputs>): Problem[] {
  const { members, replace = {}, defragment } = inputs;
  const problem = (property: string, reason: string) => ({ property, reason });
  return [
    ...checkEtcd(inputs).filter(({ property }) => property !== "endpoints"),
    ...(members === undefined ? [] : checkMembers(members)),
    ...Object.entries(replace)
      .filter(([, number]) => !Number.isSafeInteger(number) || number < 0)
      .map(([name, number]) => problem("replace", `got ${number} for ${name}, want a whole number from 0 on`)),
    ...Object.keys(replace)
      .filter((name) => members !== undefined && !members.some((member) => member.name === name))
      .map((name) =>
        problem("replace", `got ${name}, which is not a declared member; to take it away, take it off the members`),
      ),
    ...(defragment !== undefined && !(defragment.fragmentation > 0 && defragment.fragmentation < 1)
      ? [problem("defragment", `got ${defragment.fragmentation} as fragmentation, want a part between 0 and 1`)]
      : []),
  ];
}

function checkMembers(members: EtcdMembershipInputs["members"]): Problem[] {
  const problem = (reason: string) => ({ property: "members", reason });
  if (members.length === 0) {
    return [
      problem("got none: the last voter is not removed, all data would go with it; delete the deployment instead"),
    ];
  }
  const twice = (["name", "peerUrl", "clientUrl"] as const).flatMap((key) => {
    const values = members.map((member) => member[key]);
    return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
  });
  const urls = members.flatMap(({ peerUrl, clientUrl }) => [
    ...(/^https?:\/\/[^/]+:\d+$/.test(peerUrl) ? [] : [peerUrl]),
    ...(/^https:\/\/[^/]+:\d+$/.test(clientUrl) ? [] : [clientUrl]),
  ]);
  return [
    ...twice.map((value) => problem(`got ${value} twice, want each once`)),
    ...urls.map((value) => problem(`got "${value}", want https://host:port`)),
  ];
}
