import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SshHostAddress } from "../../../lib/hosts/address.ts";
import { Host } from "../../../lib/hosts/host.ts";
import { labHost } from "../../support/lab-host.ts";
import { hasLab } from "../../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a login on a host", () => {
  const { machine, ask, directory } = labHost(61);
  let agentPid: string | undefined;
  afterAll(() => void (agentPid !== undefined && process.kill(Number(agentPid))));

  const answerOf = async (address: SshHostAddress) => {
    const host = new Host(address);
    const answer = await host.run("trying", "id -un", { root: false }).catch((error: Error) => error.message);
    host.close();
    return answer;
  };
  const withoutKey = (): SshHostAddress => {
    const { privateKey: _, ...address } = machine().address;
    return address;
  };

  test("is given up at once, with what to do, where an agent has more keys than may be tried", async () => {
    const agent = join(directory(), "agent");
    agentPid = /SSH_AGENT_PID=(\d+)/.exec(execFileSync("ssh-agent", ["-a", agent]).toString())![1]!;
    const keys = Array.from({ length: 7 }, (_, i) => join(directory(), `key${i}`));
    for (const key of keys) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    execFileSync("ssh-add", ["-q", ...keys], { env: { ...process.env, SSH_AUTH_SOCK: agent }, stdio: "ignore" });
    writeFileSync(machine().path("/root/.ssh/authorized_keys"), readFileSync(`${keys.at(-1)}.pub`), { flag: "a" });
    const { ip } = machine();
    expect(await answerOf({ ...withoutKey(), agent })).toBe(
      `lab61h1 (${ip}): trying: ${ip}:22 does not let user "root" in: it takes no further try after too many that failed, tried the agent\nan agent offers every key it has: have it hold fewer (ssh-add -l shows them), or give the key itself (privateKey)`,
    );
    // The journal has a line a moment after it was written; of whose unit, it no longer knows if that process is gone by then.
    const tries = "journalctl --no-pager -o cat | grep -c 'Too many authentication failures'";
    expect(await ask(`for i in $(seq 50); do ${tries} && break; sleep 0.2; done | tail -n 1`)).toBe("1\n");
    // A key that is given is tried before those of the agent.
    expect(await answerOf({ ...machine().address, agent })).toBe("root\n");
  }, 60_000);

  test("shows the password after the key where the SSH server wants both, and no sooner", async () => {
    await ask(
      `useradd -m both
       echo 'both:pass word' | chpasswd
       cp -r /root/.ssh ~both/
       chown -R both: ~both
       printf 'Match User both\\n  AuthenticationMethods publickey,password\\n' >/etc/ssh/sshd_config.d/both.conf
       systemctl reload ssh`,
    );
    const address = { ...machine().address, user: "both", password: "pass word" };
    expect(await answerOf(address)).toBe("both\n");
    expect(await ask("journalctl -u ssh --no-pager -o cat | grep -c 'Failed password for both' || true")).toBe("0\n");
  }, 60_000);
});
