import type { SshEndpoint } from "./address.ts";
import { Refused } from "./credentials.ts";

/** The key exchange between an SSH server and this program, which ssh2 reports only as text. */
export class Negotiation {
  readonly #lists = { local: "", remote: "" };

  /**
   * Takes a line of ssh2's debug output: `Handshake: (remote) C->S cipher: aes128-ctr,aes256-ctr`. Later lines
   * override.
   */
  note(line: string): void {
    const [, side, list] = /^Handshake: \((local|remote)\) [^:]+: (.*)$/.exec(line) ?? [];
    if (list !== undefined) this.#lists[side as "local" | "remote"] = withoutMarkers(list);
  }

  /**
   * The refusal that an error of ssh2 stands for, with its remedy; undefined for other errors.
   *
   * @param isPinned whether only the recorded kinds of host keys are asked for
   */
  refusal({ message }: Error, { address, port }: SshEndpoint, isPinned: boolean): Refused | undefined {
    const what = /no matching (?:[CS]->[CS] )?(.+)$/i.exec(message)?.[1];
    if (what === undefined) return undefined;
    const { local, remote } = this.#lists;
    if (what === hostKeyFormat && isPinned) {
      const shown = `its SSH server has ${remote}, want ${local}`;
      return new Refused(
        `${address}:${port} has no host key of the kind that was noted down: ${shown}\n${noteAnother}`,
      );
    }
    const setting = settings[what];
    const where = setting === undefined ? "" : ` (in its sshd_config: ${setting})`;
    return new Refused(
      `${address}:${port} and this program have no ${what} in common: its SSH server takes ${remote}\nhave it take one of ${local}, too${where}`,
    );
  }
}

const hostKeyFormat = "host key format";

const noteAnother = "note down one of those it has: ssh-keyscan shows them";

/** The corresponding settings of OpenSSH (sshd_config(5)). */
const settings: Readonly<Record<string, string>> = {
  "key exchange algorithm": "KexAlgorithms",
  [hostKeyFormat]: "HostKeyAlgorithms",
  cipher: "Ciphers",
  MAC: "MACs",
  compression: "Compression",
};

/** The lists of algorithms also carry extension markers (RFC 8308; OpenSSH's PROTOCOL, section 1.10). */
const withoutMarkers = (list: string): string =>
  list
    .split(",")
    .filter((name) => !/^(ext-info-[cs]$|kex-strict-)/.test(name))
    .join(", ");
