import { file, host, joined, loopback, port, type Text, text } from "../process.ts";

/** The path that haproxy answers as long as it serves. */
export const answersPath = "/answers";

/** Connections of some clients, and their backends. */
export interface Led {
  /** haproxy's name for the clients. */
  readonly clients: string;
  /** `address:port` that they connect to. */
  readonly bind: Text;
  /** haproxy's name for the backends. */
  readonly to: string;
  /** Whether to the one with the fewest connections, or to the first that serves. */
  readonly balance: "leastconn" | "first";
  readonly processes: readonly string[];
  /** The backends' port, for connections and for checks. */
  readonly port: string;
  readonly check: Check;
}

/** How backends are checked: with TLS, on a path that has to be answered with 200. */
export interface Check {
  readonly path: string;
  /** A name in the certificate of every one of them: haproxy verifies names, not addresses. */
  readonly verifiedName: string;
  /** Key of the file with the authority of their certificates. */
  readonly authority: string;
  /** Key of the file with a certificate to show them, with its key beside it. @default none */
  readonly certificate?: string;
  /**
   * Consecutive failures after which one is left out: checks are a second and then half a second apart, and take half a
   * second each if the host is gone.
   */
  readonly fall: number;
}

/**
 * A complete configuration: what it leads where, and where it answers as long as it does, with metrics if it was built
 * with them (as in Debian, Ubuntu and Fedora).
 */
export function haproxyConfiguration(led: readonly Led[]): Text {
  return text`global
    log stdout format raw daemon
    maxconn 20000
    # A host that allows fewer open files has fewer connections.
    no strict-limits

defaults
    mode tcp
    log global
    option dontlog-normal
    # A host that is gone must not cost a client more than the patience it has.
    timeout connect 500ms
    timeout check 2s
    # A watch may say nothing for a minute, and clients keep connections they do not use.
    timeout client 1h
    timeout server 1h
    option clitcpka
    option srvtcpka
    srvtcpka-idle 2s
    srvtcpka-intvl 1s
    srvtcpka-cnt 2
    retries 3
    option redispatch 1
${joined(led.map(sections), "")}
frontend answers
    mode http
    no log
    bind ${loopback}:${port("http")}
    timeout client 5s
    monitor-uri ${answersPath}
.if feature(PROMEX)
    http-request use-service prometheus-exporter if { path /metrics }
.endif
`;
}

/** With `tcplog` a connection is logged when it ends, so that `dontlog-normal` leaves out those that end well. */
function sections({ clients, bind, to, balance, processes, port: name, check }: Led): Text {
  const servers = processes.map((process) => text`    server ${process} ${host(process)}:${port(name, process)}\n`);
  return text`
frontend ${clients}
    bind ${bind}
    option tcplog
    default_backend ${to}

backend ${to}
    balance ${balance}
    option httpchk
    http-check send meth GET uri ${check.path} ver HTTP/1.1 hdr Host ${check.verifiedName}
    http-check expect status 200
    default-server ${checked(check)}
${joined(servers, "")}`;
}

/**
 * Connections to a failed one are cut at once. One that is back gets connections again within a quarter of a second.
 */
const checked = ({ verifiedName: name, authority, certificate, fall }: Check): Text =>
  text`check check-ssl check-sni ${name} verify required verifyhost ${name} ca-file ${file(authority)} inter 1s fastinter 500ms downinter 250ms fall ${String(fall)} rise 1 observe layer4 error-limit 3 on-error mark-down on-marked-down shutdown-sessions tcp-ut 4s${certificate === undefined ? "" : text` crt ${file(certificate)}`}`;
