import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { proxyFor } from "../../toolchain/net/proxy.ts";

const patience = { milliseconds: 5000 };

/**
 * The root of the chain by which this machine trusts a server without a given authority, PEM; undefined when it does
 * not. Karmada has to be given one: its proxy to a member knows no other (pkg/util/proxy/proxy.go). Asked by way of the HTTP
 * proxy that the environment names, if any.
 */
export async function publicRoot(server: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(patience.milliseconds);
  try {
    const proxy = proxyFor(new URL(server), process.env);
    const agent = new https.Agent(proxy === undefined ? {} : { proxyEnv: { https_proxy: proxy.address } });
    const request = https.request(server, { method: "HEAD", agent, signal }).end();
    const [{ socket }] = (await once(request, "response", { signal })) as [IncomingMessage];
    const root = pemOf(lastIssuer((socket as TLSSocket).getPeerCertificate(true)));
    socket.destroy();
    return root;
  } catch {
    return undefined;
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
