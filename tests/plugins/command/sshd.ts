/** A real OpenSSH server on the loopback address, with keys of its own. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAM = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find(existsSync);
const START_DEADLINE_MS = 20_000;

/** Whether the tests that need it can run; in CI it must be there. */
export function hasSshd(): boolean {
  if (PROGRAM !== undefined) return true;
  const missing =
    "sshd is not installed (Debian: apt install openssh-server): remote commands and copies are NOT tested";
  if (process.env["CI"]) throw new Error(missing);
  process.stderr.write(`\n*** ${missing} ***\n\n`);
  return false;
}

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** Public key of the host, as in authorized_keys. */
  readonly hostKey: string;
  /** Private key it lets in. */
  readonly privateKey: string;
  /** An encrypted one, and its passphrase. */
  readonly encryptedKey: string;
  readonly passphrase: string;
  /** What it has told so far. */
  log(): string;
  stop(): void;
}

/** @param settings lines of sshd_config(5) that go before the usual ones, and so before what they say */
export async function startSshd(port: number, settings: readonly string[] = []): Promise<Sshd> {
  const dir = mkdtempSync(join(tmpdir(), "sshd-"));
  const passphrase = "for tests";
  const key = (name: string, secret = "") => {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", secret, "-f", join(dir, name)]);
    return { private: readFileSync(join(dir, name), "utf8"), public: readFileSync(join(dir, `${name}.pub`), "utf8") };
  };
  const [host, client, encrypted] = [key("host"), key("client"), key("encrypted", passphrase)];
  writeFileSync(join(dir, "authorized_keys"), client.public + encrypted.public, { mode: 0o600 });
  writeFileSync(join(dir, "config"), [...settings, config(dir, port)].join("\n"));
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true }); // where it confines its children
  const child = spawn(PROGRAM!, ["-D", "-e", "-f", join(dir, "config")], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await listening(port, () => log);
  return {
    port,
    user: userInfo().username,
    hostKey: host.public,
    privateKey: client.private,
    encryptedKey: encrypted.private,
    passphrase,
    log: () => log,
    stop() {
      child.kill("SIGTERM");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function config(dir: string, port: number): string {
  return [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${dir}/host`,
    `AuthorizedKeysFile ${dir}/authorized_keys`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "AcceptEnv ALLOWED_*",
    "Subsystem sftp internal-sftp",
    "PermitRootLogin prohibit-password",
    "MaxStartups 100",
    "",
  ].join("\n");
}

async function listening(port: number, log: () => string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`sshd: not listening on ${port} within ${START_DEADLINE_MS} ms\n${log()}`);
}
