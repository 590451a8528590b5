/** Logins that a real OpenSSH server refuses, counted by what it tells. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SshHostAddress } from "../../../lib/hosts/address.ts";
import { Host } from "../../../lib/hosts/host.ts";
import { hasSshd, startSshd, type Sshd } from "../../plugins/command/sshd.ts";
import { freePorts } from "../../support/api-server.ts";

const describeSshd = hasSshd() ? describe : describe.skip;

describeSshd("a login that is refused", () => {
  let sshd: Sshd;
  /** While it is not there OpenSSH takes no key (sshd_config(5)). */
  let revoked: string;
  beforeEach(async () => {
    const [port] = await freePorts(1);
    revoked = join(mkdtempSync(join(tmpdir(), "karmada-refused-login-")), "revoked");
    writeFileSync(revoked, "");
    sshd = await startSshd(port!, ["LogLevel VERBOSE", `RevokedKeys ${revoked}`]);
  }, 30_000);
  afterEach(() => {
    sshd.stop();
    rmSync(dirname(revoked), { recursive: true });
  });

  const endpoint = (privateKey: string, user = sshd.user) => {
    const { port, hostKey } = sshd;
    return { address: "127.0.0.1", port, user, privateKey, hostKey, passphrase: sshd.passphrase };
  };
  const attempt = async (host: Host) => {
    const answer = await host.run("trying", "echo in", { root: false }).catch((error: Error) => error.message);
    return answer.trim();
  };
  const refused = () => sshd.log().match(/^Invalid user nobody-here /gm)?.length;
  const message = (label: string) =>
    `${label}: trying: 127.0.0.1:${sshd.port} does not let user "nobody-here" in: tried a private key`;

  test("is not tried again, however much is asked of the host", async () => {
    const address = { kind: "ssh", name: "host1", ...endpoint(sshd.privateKey, "nobody-here") } as const;
    const host = new Host(address);
    const answers = [await attempt(host), await attempt(host), await attempt(new Host(address))];
    expect(answers).toEqual(answers.map(() => message("host1 (127.0.0.1)")));
    expect(refused()).toBe(1);
    // Another key or user may be the right one.
    const other = new Host({ ...address, ...endpoint(sshd.encryptedKey) });
    expect(await attempt(other)).toBe("in");
    other.close();
  }, 60_000);

  test("is tried once at a jump host that many hosts are behind, all at the same time", async () => {
    const through = [endpoint(sshd.privateKey, "nobody-here")];
    const hosts = Array.from({ length: 8 }, (_, i): SshHostAddress => ({
      kind: "ssh",
      name: `host${i}`,
      ...endpoint(sshd.privateKey),
      through,
    }));
    const answers = await Promise.all(hosts.map((address) => attempt(new Host(address))));
    expect(answers).toEqual(hosts.map(({ name }) => message(`${name} (127.0.0.1)`)));
    expect(refused()).toBe(1);
  }, 60_000);

  test("is tried where another jump host leads to the same address: that may be another machine", async () => {
    const login = endpoint(sshd.privateKey, "nobody-here");
    const host = new Host({ kind: "ssh", name: "host1", ...login });
    const behind = new Host({ kind: "ssh", name: "host1", ...login, through: [endpoint(sshd.privateKey)] });
    expect([await attempt(host), await attempt(behind), await attempt(behind)]).toEqual(
      Array.from({ length: 3 }, () => message("host1 (127.0.0.1)")),
    );
    expect(refused()).toBe(2);
  }, 60_000);

  test("is tried again where the same login was let in before: a server may know nobody for a while", async () => {
    const host = new Host({ kind: "ssh", name: "host1", ...endpoint(sshd.privateKey) });
    const answers = [await attempt(host)];
    host.close();
    renameSync(revoked, `${revoked}.away`);
    answers.push(await attempt(host));
    renameSync(`${revoked}.away`, revoked);
    answers.push(await attempt(host));
    host.close();
    const refusal = `host1 (127.0.0.1): trying: 127.0.0.1:${sshd.port} does not let user "${sshd.user}" in: tried a private key`;
    expect(answers).toEqual(["in", refusal, "in"]);
  }, 60_000);

  test("holds nothing up where it is not: hosts log in through one at the same time", async () => {
    const hosts = Array.from({ length: 4 }, (_, i) => {
      const login = endpoint(sshd.privateKey);
      return new Host({ kind: "ssh", name: `host${i}`, ...login, through: [login] });
    });
    expect(await Promise.all(hosts.map(attempt))).toEqual(["in", "in", "in", "in"]);
    for (const host of hosts) host.close();
  }, 60_000);
});
