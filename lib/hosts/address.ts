/** How to reach a host, as a dynamic resource keeps it in its state: encrypted, since it holds secrets. */
export type HostAddress = SshHostAddress | LocalHostAddress;

/** A host that is reached by SSH. */
export interface SshHostAddress extends SshEndpoint {
  readonly kind: "ssh";
  /** What its operator calls it. */
  readonly name: string;
  /** Hosts to go through, the nearest first. @default none */
  readonly through?: readonly SshEndpoint[];
}

/** This machine. */
export interface LocalHostAddress {
  readonly kind: "local";
  readonly name: string;
  /** By which the other hosts reach it. */
  readonly address: string;
}

/** Where and how to log in. At least one of key, password and agent is needed. */
export interface SshEndpoint {
  /** IP address or DNS name. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /**
   * The keys it may show, one per line: as in `known_hosts`, as in `authorized_keys`, or a fingerprint `SHA256:...`,
   * which is that of the kind of key it shows first (ed25519, where it has one). No other key is ever accepted.
   */
  readonly hostKey: string;
  /** In OpenSSH's own form or as traditional PEM. */
  readonly privateKey?: string;
  readonly passphrase?: string;
  readonly password?: string;
  /** Path of an agent's socket on this machine; or {@link agentOfSession}. */
  readonly agent?: string;
}

/**
 * The agent of the session this program is started in, by the variable that names its socket, which differs between
 * sessions.
 */
export const agentOfSession = "SSH_AUTH_SOCK";

/** A host in messages: `host1 (10.0.0.11)`. */
export const labelOf = ({ name, address }: HostAddress): string => `${name} (${address})`;
