import * as pulumi from "@pulumi/pulumi";
import type { AuthorityKeys } from "../spec/pki/authority-keys.ts";
import { foreignAuthority, madeAuthority, type TrustedAuthority, trustedGiven } from "./pki/authorities.ts";
import { type Given, givenLeaf, givenServiceAccountKey } from "./pki/given.ts";
import { type Authority, createLeaf, createServiceAccountKey, type Leaf, type ServiceAccountKey } from "./pki/issue.ts";
import { renderKubeconfig } from "./pki/kubeconfig.ts";
import type { Lifetimes } from "./pki/lifetimes.ts";
import type { FileContents, Placement } from "./placement.ts";
import type { CertificateRequest, FileSource, Process, Text } from "./process.ts";

/** Who asks for certificates, and what is given rather than made. */
export interface PkiArgs {
  readonly lifetimes: Lifetimes;
  /** Certificates, authorities and service-account keys are made for what these ask for, in this order. */
  readonly processes: readonly Process[];
  /** Certificates no process asks for: those of people and of this program. */
  readonly requests: readonly CertificateRequest[];
  readonly placement: Placement;
  /** The keys of authorities that are made. @default one for each */
  readonly keys?: AuthorityKeys;
  /** Given authorities by name, and the given key that signs Karmada's tokens. @default all are made */
  readonly given?: {
    readonly authorities: Readonly<Record<string, Given | undefined>>;
    readonly serviceAccountKey?: pulumi.Input<string>;
  };
  /** Certificates others issued, by the names with which processes refer to them. @default none */
  readonly imported?: {
    readonly authorities: Readonly<Record<string, pulumi.Input<string>>>;
    readonly certificates: Readonly<Record<string, { certificate: pulumi.Input<string>; key: pulumi.Input<string> }>>;
  };
}

/**
 * The certificate authorities, one leaf certificate for each name that a process asks for, and the service-account key
 * pairs, each made unless it is given. Private keys are secret, certificates are not. Deleting it deletes the keys that
 * were made: a new Pki trusts nothing they signed.
 */
export class Pki extends pulumi.ComponentResource {
  /** When each certificate expires, by its name; authorities are called `ca-<name>`, those of further keys `ca-<name>/<key>`. RFC 3339. */
  readonly expiries: pulumi.Output<Record<string, string>>;
  private readonly authorities = new Map<string, TrustedAuthority>();
  private readonly leaves = new Map<string, Leaf>();
  private readonly serviceAccountKeys = new Map<string, ServiceAccountKey>();
  private readonly placement: Placement;

  constructor(name: string, args: PkiArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:pki:Pki", name, {}, opts);
    this.placement = args.placement;
    this.importForeign(args);
    for (const process of args.processes) {
      for (const request of process.certificates) this.issue(name, args, request, process);
      for (const source of Object.values(process.files)) this.makeServiceAccountKey(name, args, source);
    }
    for (const request of args.requests) this.issue(name, args, request);
    this.expiries = pulumi.all(Object.fromEntries(this.expiring()));
    this.registerOutputs({});
  }

  /** Identifies this Karmada as long as its tokens are valid: the fingerprint of the key that signs them. */
  get identity(): pulumi.Output<string> {
    return found(this.serviceAccountKeys, karmadaPair, "service-account key").fingerprint;
  }

  /** The content of every file of a process, except given ones. */
  fileContents(process: Process): FileContents {
    return Object.fromEntries(
      Object.entries(process.files).flatMap(([path, source]) =>
        source.from === "given" ? [] : [[path, this.content(process, source)]],
      ),
    );
  }

  /** What is trusted for an authority, PEM: the certificate that it signs with, and after it those beside that. */
  trust(authority: string): pulumi.Output<string> {
    return found(this.authorities, authority, "authority").trust;
  }

  /** A leaf certificate and its key, PEM; the key is secret. */
  pair(certificate: string): Leaf {
    return found(this.leaves, certificate, "certificate");
  }

  /** A kubeconfig with embedded credentials. Secret. */
  kubeconfig(certificate: string, authority: string, server: string): pulumi.Output<string> {
    const leaf = this.pair(certificate);
    return pulumi
      .all([this.trust(authority), leaf.certificate, leaf.key])
      .apply(([trust, cert, key]) =>
        renderKubeconfig({ user: certificate, server, authority: trust, certificate: cert, key }),
      );
  }

  private importForeign(args: PkiArgs): void {
    for (const [name, certificate] of Object.entries(args.imported?.authorities ?? {})) {
      this.authorities.set(name, foreignAuthority(certificate));
    }
    for (const [name, pair] of Object.entries(args.imported?.certificates ?? {})) {
      this.leaves.set(name, givenLeaf(pair));
    }
  }

  private issue(name: string, args: PkiArgs, request: CertificateRequest, process?: Process): void {
    if (this.leaves.has(request.name)) return;
    const serves = process !== undefined && request.usages.includes("server");
    const more = serves ? (this.placement.outerNames?.(process.name) ?? []) : [];
    const hosts = [...(request.hosts ?? []).map((host) => this.resolve(process, host)), ...more];
    const leaf = createLeaf(
      this,
      name,
      { ...request, hosts: [...new Set(hosts)] },
      this.signer(name, args, request),
      args.lifetimes,
    );
    this.leaves.set(request.name, leaf);
  }

  private signer(name: string, args: PkiArgs, request: CertificateRequest): Authority {
    const { authority } = request;
    const { signer } = this.authorities.get(authority) ?? this.establish(name, args, authority);
    if (signer === undefined) throw new Error(`${request.name}: the authority "${authority}" is not ours to sign with`);
    return signer;
  }

  private establish(name: string, { given, keys, lifetimes }: PkiArgs, authority: string): TrustedAuthority {
    const theirs = given?.authorities[authority];
    const established = theirs
      ? trustedGiven(authority, theirs)
      : madeAuthority(this, name, authority, lifetimes, keys?.[authority]);
    this.authorities.set(authority, established);
    return established;
  }

  private makeServiceAccountKey(name: string, { given }: PkiArgs, source: FileSource): void {
    if (source.from !== "service-account-key") return;
    const pair = source.pair ?? karmadaPair;
    if (this.serviceAccountKeys.has(pair)) return;
    const key = pair === karmadaPair ? given?.serviceAccountKey : undefined;
    this.serviceAccountKeys.set(pair, key ? givenServiceAccountKey(key) : createServiceAccountKey(this, name, pair));
  }

  private content(process: Process, source: Exclude<FileSource, { from: "given" }>): pulumi.Input<string> {
    switch (source.from) {
      case "text":
        return this.resolve(process, source.text);
      case "authority":
        return this.trust(source.authority);
      case "authority-certificate":
        return this.signing(source.authority).certificate;
      case "authority-key":
        return this.signing(source.authority).key;
      case "certificate":
        return this.pair(source.certificate).certificate;
      case "private-key":
        return this.pair(source.certificate).key;
      case "service-account-key":
        return found(this.serviceAccountKeys, source.pair ?? karmadaPair, "service-account key")[source.part];
      case "kubeconfig":
        return this.kubeconfig(source.certificate, source.authority, this.resolve(process, source.server));
    }
  }

  private signing(authority: string): Authority {
    return found(this.authorities, authority, "authority").signer ?? missing("authority key", authority);
  }

  private resolve(process: Process | undefined, text: Text): string {
    if (typeof text === "string") return text;
    if (process === undefined) throw new Error("a certificate that no process asks for can only name fixed hosts");
    return this.placement.text(process, text);
  }

  private *expiring(): Iterable<[string, pulumi.Output<string>]> {
    for (const { expiries } of this.authorities.values())
      for (const [name, expires] of Object.entries(expiries)) yield [`ca-${name}`, expires];
    for (const [name, { expires }] of this.leaves) yield [name, expires];
  }
}

/** The key pair for tokens of the Karmada API. */
const karmadaPair = "karmada";

function found<T>(map: ReadonlyMap<string, T>, name: string, what: string): T {
  return map.get(name) ?? missing(what, name);
}

function missing(what: string, name: string): never {
  throw new Error(`no process asks for the ${what} "${name}", but a file refers to it`);
}
