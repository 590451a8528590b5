/** Logins at real OpenSSH servers that take less than usual. */
import type { SshHostAddress } from "../../../lib/hosts/address.ts";
import { Host } from "../../../lib/hosts/host.ts";
import { hasSshd, startSshd } from "../../plugins/command/sshd.ts";
import { freePorts } from "../../support/api-server.ts";

const describeSshd = hasSshd() ? describe : describe.skip;

describeSshd("an SSH server with which nothing can be agreed on is refused, not waited for, with what it takes", () => {
  /** What comes of a login at one with a setting. */
  async function answerOf(setting: string, change: Partial<SshHostAddress> = {}) {
    const [port] = await freePorts(1);
    const sshd = await startSshd(port!, [setting]);
    const { user, privateKey, hostKey } = sshd;
    const login = { kind: "ssh", name: "host1", address: "127.0.0.1", port: port!, user, privateKey, hostKey } as const;
    const host = new Host({ ...login, ...change });
    const answer = await host.run("trying", "echo in", { root: false }).catch((error: Error) => error.message);
    host.close();
    sshd.stop();
    return answer.replaceAll(String(port), "22");
  }
  const anyKey = { hostKey: "SHA256:5bXhJr5K0Wtq0PaqVsNbdyhmPLLYPTTaHhNbqKmWHtM" };
  const nothing = "host1 (127.0.0.1): trying: 127.0.0.1:22 and this program have no";

  test("key exchange", async () => {
    expect(await answerOf("KexAlgorithms sntrup761x25519-sha512@openssh.com")).toBe(
      `${nothing} key exchange algorithm in common: its SSH server takes sntrup761x25519-sha512@openssh.com\nhave it take one of curve25519-sha256@libssh.org, curve25519-sha256, ecdh-sha2-nistp256, ecdh-sha2-nistp384, ecdh-sha2-nistp521, diffie-hellman-group-exchange-sha256, diffie-hellman-group14-sha256, diffie-hellman-group15-sha512, diffie-hellman-group16-sha512, diffie-hellman-group17-sha512, diffie-hellman-group18-sha512, too (in its sshd_config: KexAlgorithms)`,
    );
  });

  test("cipher", async () => {
    expect(await answerOf("Ciphers aes192-cbc,aes256-cbc")).toMatch(
      /no cipher in common: its SSH server takes aes192-cbc, aes256-cbc\nhave it take one of aes128-gcm@openssh.com, aes256-gcm@openssh.com, .*, too \(in its sshd_config: Ciphers\)$/,
    );
  });

  test("MAC", async () => {
    expect(await answerOf("Ciphers aes128-ctr\nMACs umac-128@openssh.com")).toMatch(
      /no MAC in common: its SSH server takes umac-128@openssh.com\nhave it take one of hmac-sha2-256-etm@openssh.com, .*, too \(in its sshd_config: MACs\)$/,
    );
  });

  test("host key", async () => {
    const ecdsa =
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=";
    expect(await answerOf("LogLevel INFO", { hostKey: ecdsa })).toBe(
      "host1 (127.0.0.1): trying: 127.0.0.1:22 has no host key of the kind that was noted down: its SSH server has ssh-ed25519, want ecdsa-sha2-nistp256\nnote down one of those it has: ssh-keyscan shows them",
    );
  });

  test("and one with which it can is not", async () => {
    expect(await answerOf("Ciphers chacha20-poly1305@openssh.com")).toBe("in\n");
    expect(await answerOf("LogLevel INFO", anyKey)).toMatch(/: 127.0.0.1:22 shows another host key: got SHA256:/);
  });
});
