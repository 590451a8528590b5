import type { Host } from "./host.ts";
import { parseSaid } from "./process.ts";

/** An address of a host, `10.0.0.11/24`, and the network interface that has it. */
export interface InterfaceAddress {
  readonly address: string;
  readonly interface: string;
}

/** Shell command that prints a line `address 10.0.0.11/24 eth0` for each address. */
export const sayAddresses = `ip -o addr show 2>/dev/null | awk '{print "address", $4, $2}'`;

/** What a line of {@link sayAddresses} says; a VLAN is `eth0.5@eth0` there. */
export function parseAddress(value: string): InterfaceAddress {
  const [address = "", device = ""] = value.split(" ");
  return { address, interface: device.replace(/@.*/, "") };
}

/** The interface that has an address. */
export const interfaceWith = (addresses: readonly InterfaceAddress[], address: string): string | undefined =>
  addresses.find((each) => each.address.startsWith(`${address}/`))?.interface;

/** The interface of a host that has an address now. */
export async function interfaceAt(host: Host, address: string): Promise<string | undefined> {
  const said = parseSaid(await host.run("asking for its network interfaces", sayAddresses));
  const addresses = said.flatMap(([key, value]) => (key === "address" ? [parseAddress(value)] : []));
  return interfaceWith(addresses, address);
}
