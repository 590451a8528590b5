/** What is said of a host whose sudo does not let everything run. */
import type { SshHostAddress } from "../../../lib/hosts/address.ts";
import { Host } from "../../../lib/hosts/host.ts";
import { labHost } from "../../support/lab-host.ts";
import { hasLab } from "../../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("where sudo does not let everything run, what to do is said", () => {
  const { machine, ask } = labHost(63);
  let address: SshHostAddress;
  let label: string;

  beforeAll(async () => {
    await ask(
      `useradd -m -s /bin/bash deployer
       mkdir -p ~deployer/.ssh
       cp /root/.ssh/authorized_keys ~deployer/.ssh/
       chown -R deployer: ~deployer`,
    );
    address = { ...machine().address, user: "deployer" };
    label = `lab63h1 (${machine().ip})`;
  }, 60_000);

  afterEach(() =>
    ask(
      `rm -f /etc/default/locale /usr/local/bin/sudo
       [ ! -e /usr/bin/no-sudo ] || mv /usr/bin/no-sudo /usr/bin/sudo`,
    ),
  );

  const answer = async () => {
    const host = new Host(address);
    const said = await host.run("trying", "id -un").catch((error: Error) => error.message);
    host.close();
    return said;
  };
  const everything = `let user "deployer" run everything without a password (in sudoers: deployer ALL=(ALL) NOPASSWD: ALL), or log in as root`;

  test("though the host speaks another language", async () => {
    await ask(`printf 'LANG=C.UTF-8\\nLANGUAGE=de\\n' >/etc/default/locale`);
    const inGerman = "su -l deployer -c 'LANG=C.UTF-8 LANGUAGE=de sudo -n true' 2>&1 || true";
    expect(await ask(inGerman)).toBe("sudo: Ein Passwort ist notwendig\n");
    expect(await answer()).toBe(`${label}: trying: sudo: a password is required\n${everything}`);
  });

  // What sudo-rs 0.2 says (src/common/error.rs), which is the sudo of Ubuntu since 25.10.
  test.each(["interactive authentication is required", "I'm sorry deployer. I'm afraid I can't do that"])(
    "also of one that is written in Rust: %s",
    async (said) => {
      machine().write("/usr/local/bin/sudo", `#!/bin/sh\necho "sudo: ${said}" >&2\nexit 1\n`, 0o755);
      expect(await answer()).toBe(`${label}: trying: sudo: ${said}\n${everything}`);
    },
  );

  test("where there is none", async () => {
    await ask("mv /usr/bin/sudo /usr/bin/no-sudo");
    expect(await answer()).toBe(
      `${label}: trying: env: 'sudo': No such file or directory\ninstall sudo there, and let user "deployer" run everything without a password (in sudoers: deployer ALL=(ALL) NOPASSWD: ALL), or log in as root`,
    );
  });

  test("and nothing where it does", async () => {
    machine().write("/etc/sudoers.d/deployer", "deployer ALL=(ALL) NOPASSWD: ALL\n", 0o440);
    expect(await answer()).toBe("root\n");
  });
});
