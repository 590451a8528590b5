/** A key is replaced on a host, and in the stack file: the state still has the old one. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { closeHosts } from "../../lib/hosts/hosts.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider } from "../../providers/host-process-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { idleProcess } from "./support/idle-process.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a process of a host whose key has been replaced", () => {
  const { machine, directory } = labHost(49);
  type Address = ReturnType<typeof machine>["address"];

  const hostsWith = (address: Address) => ({
    deployment: "ours",
    hosts: { [address.name]: { address, ports: {}, reached: [], etcd: false } },
  });
  const replaceKey = (): string => {
    const key = join(directory(), "new");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    machine().write("/root/.ssh/authorized_keys", readFileSync(`${key}.pub`, "utf8"));
    return readFileSync(key, "utf8");
  };

  test("is looked at and removed with the key of the program, and without a program it is said how", async () => {
    const before = machine().address;
    const { outs } = await provider.create(await idleProcess(before));
    beginRun();
    closeHosts();
    const after = { ...before, privateKey: replaceKey() };
    const refused =
      /does not let user "root" in: tried a private key\nthese credentials are of the last `up`\nan `up` takes over what has replaced them: /;
    await expect(provider.read("id", outs)).rejects.toThrow(refused);
    await expect(provider.delete("id", outs)).rejects.toThrow(refused);

    await preflight.check(hostsWith(before), hostsWith(after));
    expect(await provider.read("id", outs)).toMatchObject({ id: "id" });
    await provider.delete("id", outs);
    expect(await provider.read("id", outs)).toEqual({});

    // It may be another machine, which got the address.
    const other = { ...outs!, host: { ...before, hostKey: "SHA256:5bXhJr5K0Wtq0PaqVsNbdyhmPLLYPTTaHhNbqKmWHtM" } };
    expect(await provider.read("id", other)).toEqual({ id: "id", props: other });
  }, 60_000);
});
