import { hostAt } from "../../../lib/hosts/hosts.ts";
import type { LabHost } from "../../support/nspawn-lab.ts";

/** Where the plugin of a key service listens on each host. */
export const kmsSocket = "/run/kms/vault.sock";

/** The same, as an API server is told. */
export const kmsEndpoint = `unix://${kmsSocket}`;

const units = "/etc/systemd/system";

const socketUnit = `[Socket]
ListenStream=${kmsSocket}
SocketGroup=kms
SocketMode=0660
[Install]
WantedBy=sockets.target
`;

/** That of the documentation, but for the names. */
const dropIn = `[Unit]
Wants=kms.socket
After=kms.socket
[Service]
SupplementaryGroups=kms
`;

/**
 * Has a plugin listen on a host, also after a boot, for members of the group `kms`, and lets one API server in. It is
 * reached over the network: the program that encrypts runs elsewhere.
 *
 * @param apiServer the process, which need not be there yet
 */
export async function addKmsSocket(host: LabHost, apiServer: string, address: string, port: number): Promise<void> {
  const serviceUnit = `[Service]\nExecStart=/lib/systemd/systemd-socket-proxyd ${address}:${port}\n`;
  host.write(`${units}/kms.socket`, socketUnit);
  host.write(`${units}/kms.service`, serviceUnit);
  await hostAt(host.address).run("adding a plugin", "groupadd --system kms; systemctl enable --now kms.socket");
  // Last, so that it is `up` that has systemd read it.
  host.write(`${units}/${apiServer}.service.d/kms.conf`, dropIn);
}

/** Takes everything of it away again. */
export async function removeKmsSocket(host: LabHost, apiServer: string): Promise<void> {
  const script = `
    systemctl disable --now kms.socket
    systemctl stop kms.service
    rm -r ${units}/kms.socket ${units}/kms.service ${units}/${apiServer}.service.d /run/kms
    systemctl daemon-reload
    groupdel kms`;
  await hostAt(host.address).run("removing a plugin", script);
}
