import { connect } from "node:net";
import ssh2, { type AuthenticationType, type AuthHandlerMiddleware, type ConnectConfig, type ParsedKey } from "ssh2";
import { agentOfSession, type SshEndpoint } from "./address.ts";
import { whyKeyIsUnusable } from "./private-key.ts";

/** An error that no retry mends: a key or a login that was refused. */
export class Refused extends Error {}

/**
 * The credentials for an endpoint, as ssh2 takes them.
 *
 * @param agent path of the agent's socket, as of {@link agentOf}
 * @throws Refused when the private key cannot be used
 */
export function credentials(endpoint: SshEndpoint, agent: string | undefined): ConnectConfig {
  const problem = whyKeyIsUnusable(endpoint);
  if (problem !== undefined) throw new Refused(problem);
  const { privateKey, passphrase, password } = endpoint;
  return {
    ...(privateKey !== undefined && { privateKey }),
    ...(passphrase !== undefined && { passphrase }),
    ...(password !== undefined && { password, tryKeyboard: true }),
    ...(agent !== undefined && { agent }),
    authHandler: inOrder([
      "none",
      ...(privateKey !== undefined ? (["publickey"] as const) : []),
      ...(agent !== undefined ? (["agent"] as const) : []),
      ...(password !== undefined ? (["password", "keyboard-interactive"] as const) : []),
    ]),
  };
}

/** The credentials given to log in with, in words. */
export const waysOf = ({ privateKey, password, agent }: SshEndpoint): string[] => [
  ...(privateKey !== undefined ? ["a private key"] : []),
  ...(password !== undefined ? ["a password"] : []),
  ...(agent !== undefined ? ["the agent"] : []),
];

/**
 * Each method once, keys first, as soon as the server offers it: a server may want a password after the key
 * (`AuthenticationMethods`), and counts a method that it does not offer as a failure.
 */
function inOrder(ways: readonly AuthenticationType[]): AuthHandlerMiddleware {
  const left = [...ways];
  return (taken: AuthenticationType[] | null) => {
    const at = left.findIndex((way) => taken?.includes(way === "agent" ? "publickey" : way) ?? true);
    return at === -1 ? false : left.splice(at, 1)[0]!;
  };
}

/** Path of the socket of the agent that is meant. @throws Refused when there is none, or nobody listens there */
export async function agentOf(endpoint: SshEndpoint): Promise<string | undefined> {
  const path = socketOf(endpoint);
  if (path === "") {
    throw new Refused(
      `the environment variable ${agentOfSession} is empty\nstart an SSH agent: eval $(ssh-agent) && ssh-add`,
    );
  }
  if (path !== undefined) await checkAgent(path);
  return path;
}

const socketOf = ({ agent }: SshEndpoint): string | undefined =>
  agent === agentOfSession ? (process.env[agentOfSession] ?? "") : agent;

/** Public keys that the agent holds now, which may change. None if it does not answer in time. */
export function keysOfAgent(endpoint: SshEndpoint): Promise<readonly string[]> {
  const path = socketOf(endpoint);
  if (path === undefined || path === "") return Promise.resolve([]);
  return new Promise((resolve) => {
    const gaveUp = setTimeout(() => resolve([]), agentSeconds * 1000);
    ssh2.createAgent(path).getIdentities((_error, keys = []) => {
      clearTimeout(gaveUp);
      resolve(keys.map((key) => (key as ParsedKey).getPublicSSH().toString("base64")));
    });
  });
}

const agentSeconds = 2;

/** @throws Refused when nothing listens there: ssh2 would only say that it failed */
function checkAgent(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(void socket.destroy()));
    socket.once("error", (error) => {
      const advice = `start one there (ssh-agent -a ${path}), and give it the key (ssh-add)`;
      reject(new Refused(`the SSH agent does not answer: ${error.message}\n${advice}`, { cause: error }));
    });
  });
}
