import { connect } from "node:net";
import type { AnyAuthMethod, AuthenticationType } from "ssh2";
import type { Endpoint } from "./connection.ts";
import { loadPrivateKey } from "./private-key.ts";

/** The ways to log in, in order; made once, used by each attempt. */
export type Methods = readonly Exclude<AnyAuthMethod, { type: "none" }>[];

/** @throws Error when the private key or the agent cannot be used */
export async function authenticationMethods(endpoint: Endpoint): Promise<Methods> {
  const { user: username, password, privateKey, privateKeyPassword: passphrase } = endpoint;
  const methods: Exclude<AnyAuthMethod, { type: "none" }>[] = [];
  if (privateKey !== undefined) {
    methods.push({ type: "publickey", username, key: loadPrivateKey(privateKey, passphrase) });
  }
  if (password !== undefined) {
    methods.push({ type: "password", username, password });
    methods.push({
      type: "keyboard-interactive",
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
    });
  }
  const agent = endpoint.agentSocketPath ?? (process.env["SSH_AUTH_SOCK"] || undefined);
  if (agent !== undefined) {
    await checkAgent(agent);
    methods.push({ type: "agent", username, agent });
  }
  return methods;
}

/**
 * Goes through the methods as Go's client does: none first, then each kind the server takes, once. An agent is
 * asked only when no private key was given, both being `publickey` to the server.
 */
export class Authentication {
  readonly #username: string;
  readonly #methods: Methods;
  readonly #tried = ["none"];

  constructor(username: string, methods: Methods) {
    this.#username = username;
    this.#methods = methods;
  }

  /** What was tried, for the message when nothing is left. */
  get tried(): string {
    return this.#tried.join(" ");
  }

  /** @param accepted what the server takes; `null` before anything was tried */
  next(accepted: readonly AuthenticationType[] | null): AnyAuthMethod | false {
    if (accepted === null) return { type: "none", username: this.#username };
    for (const method of this.#methods) {
      const kind = method.type === "agent" ? "publickey" : method.type;
      if (this.#tried.includes(kind) || !accepted.includes(kind)) continue;
      this.#tried.push(kind);
      return method;
    }
    return false;
  }
}

function checkAgent(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "no such file or directory" : error.message;
      reject(new Error(`dial unix ${path}: connect: ${reason}`));
    });
  });
}
