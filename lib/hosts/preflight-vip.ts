import { BlockList } from "node:net";
import { error, warning, type Finding, type Seen, type SharedAddress } from "./finding.ts";
import { interfaceWith } from "./interfaces.ts";

/** What speaks against an address that hosts are to share. */
export function judgeVip(seen: readonly Seen[]): Finding[] {
  const sharing = seen.flatMap(({ needs, facts }) =>
    needs.vip === undefined ? [] : [{ needs, facts, vip: needs.vip }],
  );
  return sharing.flatMap(({ needs, facts, vip }) => {
    // Whichever of these hosts has it now, it is theirs; a host that is leaving is only seen by its answer.
    const isOurs =
      needs.vipKnown === true || seen.some((other) => other.facts.deployment !== undefined && has(other, vip.address));
    const isKnown = needs.known && needs.vipKnown === true;
    const isItsOwn = facts.deployment === undefined && !isKnown && has({ needs, facts }, vip.address);
    return [
      ...judgeInterface({ needs, facts }, vip),
      ...(isItsOwn ? [error(needs, `has ${vip.address} already, want one that no host has`)] : []),
      ...(facts.vipAnswers !== undefined && !isOurs
        ? [error(needs, `${vip.address} is in use by somebody else (${facts.vipAnswers}), want a free address`)]
        : []),
      // Where keepalived may not call setgroups it does not run a check and takes it for passed (keepalived/lib/notify.c).
      ...(facts.unfiltered
        ? [
            (needs.known ? warning : error)(
              needs,
              "its systemd applies no SystemCallFilter, without which keepalived does not see whether haproxy answers\ninstall libseccomp (Debian, Ubuntu: apt-get install libseccomp2), and start the host again",
            ),
          ]
        : []),
      ...(facts.keepalived
        ? [
            warning(
              needs,
              `runs a keepalived of its own: it must not use the VRRP number ${vip.routerId} (placement.loadBalancer.routerId)`,
            ),
          ]
        : []),
    ];
  });
}

/** Interfaces of a host by what they are for: its own address, and the shared one. */
export function interfacesOf({ needs, facts }: Seen): { readonly own: string; readonly vip: string } | undefined {
  const own = interfaceWith(facts.addresses, needs.address);
  return own === undefined ? undefined : { own, vip: needs.vip?.interface ?? own };
}

function judgeInterface(seen: Seen, { address: vip }: SharedAddress): Finding[] {
  const { needs, facts } = seen;
  const interfaces = interfacesOf(seen);
  if (interfaces === undefined) {
    return [error(needs, `no interface of it has ${needs.address}, and VRRP needs one that has`)];
  }
  const ipv4 = facts.addresses.filter(({ address }) => !address.includes(":"));
  const there = ipv4.filter((each) => each.interface === interfaces.vip).map(({ address }) => address);
  if (there.length === 0) {
    const all = [...new Set(ipv4.map((each) => each.interface))].join(", ");
    return [error(needs, `has no interface ${interfaces.vip} with an address, want one of ${all}`)];
  }
  if (there.some((network) => isInside(vip, network))) return [];
  return [error(needs, `${vip} is outside of the network of ${interfaces.vip} (${there.join(", ")})`)];
}

function isInside(address: string, network: string): boolean {
  const [base = "", prefix = ""] = network.split("/");
  const list = new BlockList();
  list.addSubnet(base, Number(prefix));
  return list.check(address);
}

const has = ({ facts }: Seen, vip: string): boolean =>
  facts.addresses.some(({ address }) => address.startsWith(`${vip}/`));
