import { createPublicKey, randomBytes, X509Certificate } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { certificateIn } from "../../spec/pki/pem.ts";
import { KubeClient, type KubeObject } from "../kube/client.ts";
import { isConflict, isTransient, KubeError } from "../kube/error.ts";
import type { Connection } from "../kube/kubeconfig.ts";
import { ownSession } from "../kube/own-session.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { deadlineIn, messageOf, Pending, waitFor, type Deadline } from "../wait.ts";
import { type BootstrapToken, dropTokens, madeFor, makeToken } from "./bootstrap-token.ts";
import { makeRequest } from "./certificate-request.ts";
import { agentGroup, agentUserOf, systemLabels } from "./names.ts";

/** A certificate and its key, PEM. */
export interface AgentCertificate {
  readonly certificate: string;
  readonly key: string;
  /** RFC 3339. */
  readonly expires: string;
}

/** What is asked for. */
export interface Wanted {
  /** The authority that is to sign, PEM, first of what is trusted. */
  readonly authority: string;
  /** How long it is to be valid; kube-controller-manager may make it less. */
  readonly validSeconds: number;
}

/**
 * Has the control plane sign a certificate for the agent of a member, the way `karmadactl register` does: with a
 * short-lived token that may only request, and one request. We approve it, and only if it is the very one that was
 * made. Whatever the outcome, token and request are deleted afterwards; if the control plane does not delete them, that
 * is reported, and the next run does so first.
 *
 * After a change of the authority's key kube-controller-manager may still have the former one: then it is asked again.
 *
 * @param plane as an administrator
 */
export async function certifyAgent(
  plane: KubeClient,
  connection: Connection,
  cluster: string,
  { authority, validSeconds }: Wanted,
  deadline: Deadline,
): Promise<AgentCertificate> {
  const by = certificateIn(authority);
  return waitFor(
    "the control plane to sign with the key that signs now",
    deadline,
    async () => {
      const made = await certifyOnce(plane, connection, cluster, validSeconds, deadline);
      return by === undefined || isSignedBy(made.certificate, by)
        ? made
        : new Pending("it signs with another one: kube-controller-manager has not read what is declared");
    },
    { interval: 1000, maxInterval: 4000, fatal: () => true },
  );
}

async function certifyOnce(
  plane: KubeClient,
  connection: Connection,
  cluster: string,
  validSeconds: number,
  deadline: Deadline,
): Promise<AgentCertificate> {
  await retryTransient("the Karmada API to delete former tokens", deadline, () => dropTokens(plane, cluster));
  const { request, key } = await makeRequest(agentUserOf(cluster), agentGroup);
  const name = `agent-${cluster}-${randomBytes(3).toString("hex")}`;
  try {
    const token = await retryTransient("the Karmada API to make a token", deadline, () => makeToken(plane, cluster));
    const wanted = requestFor(name, cluster, request, validSeconds);
    await ask(connection, token, wanted, deadline);
    await approve(plane, name, { ...wanted.spec, username: token.user }, deadline);
    const certificate = await signed(plane, name, deadline);
    return { certificate, key, expires: judged(certificate, key, cluster) };
  } finally {
    await dropAll(plane, cluster, name);
  }
}

/**
 * The token expires by itself, and a request after an hour
 * (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/).
 */
async function dropAll(plane: KubeClient, cluster: string, name: string): Promise<void> {
  const drop = () => Promise.all([dropTokens(plane, cluster), plane.delete(pathOf(name))]);
  await retryTransient("the Karmada API to delete the token and the request", deadlineIn(10), drop).catch(
    (error: unknown) => {
      console.warn(`${cluster}: what its agent's certificate was asked for by is still there: ${messageOf(error)}`);
    },
  );
}

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const pathOf = (name: string): string => `${requests}/${name}`;

const requestFor = (name: string, cluster: string, request: string, expirationSeconds: number) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name, labels: { ...systemLabels, [madeFor]: cluster } },
  spec: {
    request: Buffer.from(request).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client",
    expirationSeconds,
    usages: ["digital signature", "key encipherment", "client auth"],
  },
});

/** Uses the token. An API server sees a new token and its rights only after a moment. */
async function ask(
  { server, ca, insecureSkipTlsVerify, tlsServerName }: Connection,
  { token }: BootstrapToken,
  request: object,
  deadline: Deadline,
): Promise<void> {
  const connection = {
    server,
    insecureSkipTlsVerify,
    login: false,
    token,
    ...(ca !== undefined && { ca }),
    ...(tlsServerName !== undefined && { tlsServerName }),
  };
  const client = new KubeClient(connection, ownSession(connection));
  const notYet = (error: unknown) => error instanceof KubeError && [401, 403].includes(error.status);
  try {
    await waitFor(
      "the Karmada API to take a certificate request by a bootstrap token",
      deadlineIn(Math.min(30, deadline.left() / 1000)),
      async () => {
        await client.create(requests, request).catch((error: unknown) => {
          // The answer to an earlier try was lost; the existing request is checked before it is approved.
          if (!isConflict(error)) throw error;
        });
      },
      { fatal: (error) => !isTransient(error) && !notYet(error) },
    );
  } finally {
    client.close();
  }
}

/** Approves a request. @throws when the request of that name is not the one that was made, or is from another user */
export async function approve(plane: KubeClient, name: string, wanted: object, deadline: Deadline): Promise<void> {
  await waitFor(
    `certificate request ${name} to be approved`,
    deadline,
    async () => {
      const found = await plane.get(pathOf(name));
      const differing = Object.entries(wanted).flatMap(([field, value]) =>
        isDeepStrictEqual(found["spec"]?.[field], value) ? [] : [field],
      );
      if (differing.length > 0)
        throw new Error(
          `certificate request ${name} is not the one that was made (${differing.join(", ")}), and is not approved`,
        );
      const conditions = conditionsOf(found);
      if (conditions.some(({ type }) => type === "Approved")) return;
      const approved = {
        type: "Approved",
        status: "True",
        reason: "PulumiApproved",
        message: "it is the one that was made",
      };
      await plane.replace(`${pathOf(name)}/approval`, {
        ...found,
        status: { ...found["status"], conditions: [...conditions, approved] },
      });
    },
    { fatal: (error) => !isTransient(error) && !isConflict(error) },
  );
}

async function signed(plane: KubeClient, name: string, deadline: Deadline): Promise<string> {
  return waitFor(
    `certificate request ${name} to be signed`,
    deadline,
    async () => {
      const found = await plane.get(pathOf(name));
      const refused = conditionsOf(found).find(({ type }) => type === "Denied" || type === "Failed");
      if (refused !== undefined) throw new Error(`it is ${refused.type}: ${refused.reason}: ${refused.message}`);
      const certificate = found["status"]?.certificate as string | undefined;
      if (certificate !== undefined && certificate !== "") return Buffer.from(certificate, "base64").toString();
      return new Pending("not yet; kube-controller-manager does that (csrsigning, pki.signRequests)");
    },
    { interval: 50, maxInterval: 500, fatal: (error) => !isTransient(error) },
  );
}

/** @returns its expiry @throws when it is not for this key and this agent */
function judged(certificate: string, key: string, cluster: string): string {
  const { subject, publicKey, validToDate } = new X509Certificate(certificate);
  const isOurs = publicKey.equals(createPublicKey(key));
  const names = subject.split("\n").sort().join(", ");
  if (!isOurs || names !== `CN=${agentUserOf(cluster)}, O=${agentGroup}`)
    throw new Error(`what was signed is not what was asked for: it is for ${names}`);
  return validToDate.toISOString();
}

/** By its key and name: the certificate of an authority may have been renewed. */
function isSignedBy(certificate: string, authority: X509Certificate): boolean {
  const signed = new X509Certificate(certificate);
  return signed.checkIssued(authority) && signed.verify(authority.publicKey);
}

interface Condition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

const conditionsOf = ({ status }: KubeObject): readonly Condition[] => (status?.conditions ?? []) as Condition[];
