import type { WrittenDirectory } from "../lib/hosts/unit.ts";

/**
 * What runs, as pure data. A Process says nothing about where: a placement (placement/) resolves the
 * references in it to paths, addresses and ports, the Pki (pki.ts) issues the certificates it asks for.
 */

/** Something in a text that only a placement knows. */
export type Ref =
  /** Absolute path of one of this process's own files by its key in `files`, or of a folder that holds some of them. */
  | { readonly ref: "file"; readonly file: string }
  /** Absolute path of a directory of this process that survives restarts, or of something below it. */
  | { readonly ref: "data"; readonly path?: string }
  /** The address to bind to, without port. */
  | { readonly ref: "bind" }
  /**
   * The address to bind to for ports that only programs on the same host may reach: metrics and health, which are not
   * secured.
   */
  | { readonly ref: "loopback" }
  /** The host name or address by which others reach a process (this one when `process` is left out). */
  | { readonly ref: "host"; readonly process?: string }
  /**
   * `host:port` at which a client with no replica on its host reaches a process: the front of its replicas, if there is
   * one.
   */
  | { readonly ref: "front"; readonly port: string; readonly process: string }
  /**
   * URLs of processes that serve the same, separated by commas or otherwise; or the URL of a proxy beside this process
   * that leads to those of them that serve.
   */
  | { readonly ref: "urls"; readonly port: string; readonly processes: readonly string[]; readonly separator?: string }
  /** The number of a named port of a process (this one when `process` is left out). */
  | { readonly ref: "port"; readonly port: string; readonly process?: string };

/** Text with references in it; the pieces are joined without a separator. */
export type Text = string | readonly (string | Ref)[];

/** The certificate authorities, each its own root: what one signs, no other accepts. */
export type CertificateAuthorityName = "etcd" | "etcd-peer" | "karmada" | "front-proxy";

/** A leaf certificate a process asks for. Its identity is `name`: two processes that name the same one share it. */
export interface CertificateRequest {
  readonly name: string;
  readonly authority: CertificateAuthorityName | (string & {});
  readonly commonName: string;
  /** One Kubernetes group. @default none */
  readonly organization?: string;
  readonly usages: readonly ("server" | "client")[];
  /** DNS names and IP addresses it is valid for, distinguished when it is issued. @default none */
  readonly hosts?: readonly Text[];
}

/** Where the content of a file comes from. */
export type FileSource =
  | { readonly from: "text"; readonly text: Text }
  /** The trusted certificates of an authority, as one PEM bundle. */
  | { readonly from: "authority"; readonly authority: string }
  /** The one of them that belongs to the authority's key, alone. */
  | { readonly from: "authority-certificate"; readonly authority: string }
  | { readonly from: "authority-key"; readonly authority: string }
  | { readonly from: "certificate"; readonly certificate: string }
  | { readonly from: "private-key"; readonly certificate: string }
  | { readonly from: "service-account-key"; readonly part: "public" | "private"; readonly pair?: string }
  /** A kubeconfig with embedded credentials: the named client certificate, against `server`. */
  | { readonly from: "kubeconfig"; readonly certificate: string; readonly authority: string; readonly server: Text }
  /** Handed over by the component that places the process. */
  | { readonly from: "given" };

/** How to know that a process serves. */
export type Probe =
  | {
      readonly kind: "http";
      readonly scheme: "http" | "https";
      readonly port: string;
      /** For instance `/readyz`. */
      readonly path: string;
      /** Authority whose certificate an https server must show, and the client certificate sent. @default none: not verified further than the port's owner */
      readonly authority?: string;
      readonly certificate?: string;
      /** How long an answer may take. @default 5s */
      readonly answersWithin?: `${number}s`;
    }
  | { readonly kind: "tcp"; readonly port: string }
  /** It listens nowhere, and notifies systemd when it serves (sd_notify(3)). */
  | { readonly kind: "active" };

/** How to know that a process lives, though it may not serve yet. */
export interface Alive {
  /** On the port of its probe, for instance `/livez`. */
  readonly path: string;
  /** How long it may take to answer there after a start, before a placement that restarts programs does so. */
  readonly deadline: `${number}s`;
}

/** Name and version in the toolchain's list of programs. */
export interface ToolchainProgram {
  readonly name: string;
  readonly version: string;
}

/**
 * What is executed: a program of the toolchain, one of this project by its file, `lib/backup/main.ts`, run by Node.js, or one
 * that comes with the host's operating system, by its path.
 */
export type Executable = ToolchainProgram | { readonly main: string } | { readonly installed: string };

/** Memory and processor time of a machine. */
export interface Amounts {
  /** As Kubernetes writes it: `512Mi`, `1Gi`. */
  readonly memory?: string;
  /** As Kubernetes writes it: `2`, `500m`. */
  readonly cpu?: string;
}

/** A directory outside the data of what writes to it. */
export interface HeldDirectory extends WrittenDirectory {
  /** What holds it, for a pod. @default nothing, it is one of the machine */
  readonly volume?: { readonly persistentVolume: string; readonly storageClass?: string | undefined } | undefined;
}

/** A program to keep running. */
export interface Process {
  /** Unique in a deployment and its identity for ever: `etcd-0`, `karmada-apiserver`, `member1-kube-apiserver`. */
  readonly name: string;
  /** Upstream's name of the program: `etcd`, `kube-apiserver`, `karmada-scheduler`. */
  readonly component: string;
  /**
   * Distinguishes several groups of its component: `events` for a member of the etcd of that name. @default there is
   * one
   */
  readonly group?: string;
  readonly program: Executable;
  /** How many copies run at once, if its placement makes copies (`Placement.copies`). @default 1 */
  readonly copies?: number;
  /**
   * Whether it must have stopped before another of its name starts, since it elects no leader: in pods the strategy
   * `Recreate`. @default false
   */
  readonly recreate?: boolean;
  readonly args: readonly Text[];
  /** Version that its data are written in, where an older minor version could not read them. @default any could */
  readonly dataVersion?: string;
  /** Programs that it runs itself (`Placement.executable`). @default none */
  readonly runs?: readonly ToolchainProgram[];
  readonly env?: Readonly<Record<string, Text>>;
  /** Its limits; a placement enforces them as far as it can. @default no limits */
  readonly limits?: Amounts;
  /** What its node reserves for it, if it is a pod. @default its limits */
  readonly requests?: Amounts;
  /** Settings of its systemd unit, by key, instead of the common ones (systemd.exec(5)). @default none */
  readonly unitSettings?: Readonly<Record<string, readonly string[]>>;
  /** Directories outside its data that it writes to. @default none */
  readonly writes?: readonly HeldDirectory[];
  /** Port names, for instance `client`, `peer`, `metrics`; a placement gives each a number. */
  readonly ports: readonly string[];
  /**
   * The components that use a port, by its name; a placement may block all others from ports that are not reached from
   * outside. @default none but health checks and metrics collectors
   */
  readonly callers?: Readonly<Record<string, readonly string[]>>;
  /** Files by a short relative path, for instance `pki/ca.crt`. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Keys of files that the program rereads by itself when they change. @default none */
  readonly rereads?: readonly string[];
  readonly certificates: readonly CertificateRequest[];
  readonly probe: Probe;
  /**
   * The path checked before haproxy or a Service routes clients to it, on the port of the probe; needed if the probe
   * succeeds only once they do. @default the path of the probe
   */
  readonly servingPath?: string;
  /** How to know that it lives, if it may be long before it serves. @default by the probe, within `startDeadline` */
  readonly alive?: Alive;
  /** How long a probe may take to succeed after a start, for instance `60s`. */
  readonly startDeadline: `${number}s`;
  /** How long it may take to stop before it is killed. */
  readonly stopDeadline: `${number}s`;
}

/** Reference to one of the process's own files. */
export const file = (path: string): Ref => ({ ref: "file", file: path });
/** Reference to the process's data directory. */
export const data = (path?: string): Ref => (path === undefined ? { ref: "data" } : { ref: "data", path });
/** Reference to the address to bind to. */
export const bind: Ref = { ref: "bind" };
/** Reference to the loopback address to bind to. */
export const loopback: Ref = { ref: "loopback" };
/** Reference to the host of a process. */
export const host = (process?: string): Ref => (process === undefined ? { ref: "host" } : { ref: "host", process });
/** Reference to the number of a port. */
export const port = (name: string, process?: string): Ref =>
  process === undefined ? { ref: "port", port: name } : { ref: "port", port: name, process };

/** Reference to what is in front of the replicas of a process. */
export const front = (name: string, process: string): Ref => ({ ref: "front", port: name, process });

/** Reference to the URLs of processes that serve the same. */
export const urls = (name: string, processes: readonly string[], separator?: string): Ref => ({
  ref: "urls",
  port: name,
  processes,
  ...(separator !== undefined && { separator }),
});

/** Those URLs without a proxy. */
export const urlsOf = (
  view: { host(process: string): string; port(process: string, port: string): number },
  { port, processes, separator = "," }: Extract<Ref, { ref: "urls" }>,
): string => processes.map((process) => `https://${view.host(process)}:${view.port(process, port)}`).join(separator);

/** A Text written as a template: text`--bind-address=${bind}`; pieces that are Texts themselves are spliced in. */
export function text(strings: TemplateStringsArray, ...values: readonly (Text | Ref)[]): Text {
  const pieces = strings.flatMap((string, i) => [string, ...piecesOf(values[i])]).filter((piece) => piece !== "");
  return pieces.every((piece) => typeof piece === "string") ? pieces.join("") : pieces;
}

/** Texts with a separator between them. */
export function joined(texts: readonly Text[], separator: string): Text {
  return texts.length === 0 ? "" : texts.reduce((all, next) => text`${all}${separator}${next}`);
}

/** The text with every reference in it resolved. */
export function filled(text: Text, resolve: (ref: Ref) => string): string {
  if (typeof text === "string") return text;
  return text.map((piece) => (typeof piece === "string" ? piece : resolve(piece))).join("");
}

function piecesOf(value: Text | Ref | undefined): readonly (string | Ref)[] {
  if (value === undefined) return [];
  return typeof value === "string" || "ref" in value ? [value] : value;
}
