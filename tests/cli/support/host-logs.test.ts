import { hostParts } from "../../../cli/support/host-logs.ts";
import { labHost } from "../../support/lab-host.ts";
import { hasLab } from "../../support/nspawn-lab.ts";
import { gathered } from "./gathered.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a host", () => {
  const { ask, machine } = labHost(67);

  test("gives the journals of its units, of those that failed too, and says how it is itself", async () => {
    const talk = (unit: string, script: string) => `systemd-run --quiet --unit ${unit} sh -c '${script}'`;
    await ask(
      [
        talk("karmada-talker", "seq 1 3; sleep 600"),
        talk("karmada-loser", "echo cannot go on >&2; exit 3"),
        talk("stranger", "echo nobody asked"),
        "until journalctl -q -u karmada-loser | grep -q Failed; do sleep 0.2; done",
      ].join("\n"),
    );
    const { put, lacking } = await gathered([hostParts(machine().address, 3600)]);
    const { name } = machine().address;
    expect(lacking).toEqual({});
    expect(Object.keys(put).sort()).toEqual(
      ["host.txt", "karmada-loser.log", "karmada-talker.log"].map((file) => `hosts/${name}/${file}`),
    );
    expect(put[`hosts/${name}/karmada-talker.log`]).toMatch(/: 1\n.*: 2\n.*: 3\n/);
    expect(put[`hosts/${name}/karmada-loser.log`]).toContain("cannot go on");
    expect(put[`hosts/${name}/host.txt`]).toMatch(/karmada-loser\.service.*failed/);
    expect(put[`hosts/${name}/host.txt`]).toContain("Filesystem");
  });

  test("that does not let in is named", async () => {
    const address = { ...machine().address, port: 9 };
    const { put, lacking } = await gathered([hostParts(address, 3600)]);
    expect(put).toEqual({});
    expect(lacking).toEqual({ [`hosts/${address.name}/`]: expect.stringContaining("connection refused") });
  });
});
