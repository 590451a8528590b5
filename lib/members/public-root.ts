import { isIP } from "node:net";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { placeOf } from "./answer.ts";

const patience = { milliseconds: 5000 };

/**
 * The root of the chain by which this machine trusts a server without a given authority, PEM; undefined when it does
 * not. Karmada has to be given one: its proxy to a member knows no other (pkg/util/proxy/proxy.go).
 */
export async function publicRoot(server: string): Promise<string | undefined> {
  const { host, port } = placeOf(server);
  const socket = connect({ host, port, ...(isIP(host) === 0 && { servername: host }) });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(patience.milliseconds, () => {
        reject(new DOMException("", "TimeoutError"));
      });
      socket.once("secureConnect", resolve).once("error", reject);
    });
    return pemOf(lastIssuer(socket.getPeerCertificate(true)));
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Node.js completes the server's chain from its own store; a root is self-issued. */
function lastIssuer(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  const issuer = certificate.issuerCertificate as DetailedPeerCertificate | undefined;
  return issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256
    ? certificate
    : lastIssuer(issuer);
}

function pemOf({ raw }: DetailedPeerCertificate): string {
  const lines = raw.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
