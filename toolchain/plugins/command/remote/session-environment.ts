import type { Client } from "ssh2";

/** An environment variable of a session; servers take only those they are configured to (AcceptEnv). */
export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Called when the server refuses it; what it throws keeps the command from running. */
  refused(): void;
}

/**
 * Makes the next command of a client wait for the server's answer to each variable. ssh2 sends variables without
 * asking for an answer, so a refused one would go unnoticed: this stands in front of its request to run the command.
 */
export function setEnvironment(client: Client, variables: readonly Variable[]): void {
  const { _protocol: protocol, _chanMgr: manager } = client as unknown as Ssh2Internals;
  const exec = protocol.exec.bind(protocol);
  protocol.exec = (id, command, wantReply) => {
    protocol.exec = exec;
    const channel = Object.values(manager._channels).find((each) => each.outgoing?.id === id)!;
    const started = channel._callbacks.pop()!;
    const next = (index: number): void => {
      const variable = variables[index];
      if (variable === undefined) {
        channel._callbacks.push(started);
        return exec(id, command, wantReply);
      }
      channel._callbacks.push((isRefused) => {
        try {
          if (isRefused) variable.refused();
        } catch (error) {
          return started(error as Error);
        }
        next(index + 1);
      });
      protocol.env(id, variable.name, variable.value, true);
    };
    next(0);
  };
}

/** What of ssh2 1.17 is used without being public. */
interface Ssh2Internals {
  readonly _protocol: {
    exec(channel: number, command: string, wantReply: boolean): void;
    env(channel: number, name: string, value: string, wantReply: boolean): void;
  };
  readonly _chanMgr: {
    readonly _channels: Readonly<Record<string, { outgoing?: { id: number }; _callbacks: Answer[] }>>;
  };
}
type Answer = (failed: boolean | Error) => void;
