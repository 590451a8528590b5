import { closeHosts } from "../../lib/hosts/hosts.ts";
import { provider } from "../../providers/host-process-impl.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { idleProcess } from "./support/idle-process.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a change of a process on a host", () => {
  const { machine, ask } = labHost(62);

  const declared = (seconds: string) => idleProcess(machine().address, { args: [seconds] });

  test("is gone on with by the next `up` where one was cut off before systemd had read the new unit", async () => {
    const { outs } = await provider.create(await declared("1000"));
    const first = "/usr/local/sbin/systemctl";
    await ask(
      `printf '#!/bin/sh\\n[ "$1" != daemon-reload ] || { echo "Transport endpoint is not connected" >&2; exit 1; }\\nexec /usr/bin/systemctl "$@"\\n' >${first}
       chmod 755 ${first}`,
    );
    await expect(provider.update("id", outs!, await declared("2000"))).rejects.toThrow(
      `lab62h1 (${machine().ip}): setting up idle: exit code 1: Transport endpoint is not connected`,
    );
    await ask(`rm ${first}`);
    closeHosts();
    await provider.update("id", outs!, await declared("2000"));
    expect(await ask("systemctl show karmada-idle -p NeedDaemonReload --value; pgrep -ax idle")).toMatch(
      /^no\n\d+ \S*\/idle 2000\n$/,
    );
  }, 60_000);
});
