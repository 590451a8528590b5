import { isIP } from "node:net";
import { connect } from "node:tls";
import { unreachable } from "../kube/error.ts";
import type { Host } from "../hosts/host.ts";
import { outOfReach } from "../hosts/reach.ts";

const patience = { milliseconds: 2000 };

/** Why no API server answers at a URL from this machine, in words; undefined if one does, whichever it is. */
export async function whyNoAnswer(server: string): Promise<string | undefined> {
  const { host, port } = placeOf(server);
  const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(patience.milliseconds, () => {
        reject(new DOMException("", "TimeoutError"));
      });
      socket.once("secureConnect", resolve).once("error", reject);
    });
    return undefined;
  } catch (error) {
    return unreachable("", error).message.replace(/^: /, "");
  } finally {
    socket.destroy();
  }
}

/**
 * Why nothing answers at the address of a URL, seen from a host, in words; undefined if something does. Only a TCP
 * connection is tried.
 */
export async function whyNoAnswerAt(host: Host, server: string): Promise<string | undefined> {
  const { host: address, port } = placeOf(server);
  const found = await outOfReach(host, [`${address}:${port}`], "answers");
  return Object.values(found)[0];
}

/** Where the server of a URL is. */
function placeOf(server: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(server);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 443) };
}
