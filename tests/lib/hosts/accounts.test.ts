/** Users and groups on a host whose userdel(8) leaves the group of a user, as that of SUSE does. */
import { Host } from "../../../lib/hosts/host.ts";
import { letGoOf } from "../../../lib/hosts/letting-go.ts";
import { removeProcess, writeScript } from "../../../lib/hosts/process.ts";
import { labHost } from "../../support/lab-host.ts";
import { hasLab } from "../../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("the group of a user goes with it where userdel leaves it", () => {
  const { machine, ask } = labHost(64);
  let host: Host;
  const half = { name: "half", component: "half", deployment: "prod" };
  const groups = () => ask("getent group | grep ^karmada- | cut -d: -f1 || true");
  const make = () => ask(writeScript({ ...half, files: [], gone: [] }));

  beforeAll(async () => {
    host = new Host(machine().address);
    await ask("sed -i 's/^USERGROUPS_ENAB.*/USERGROUPS_ENAB no/' /etc/login.defs");
  }, 60_000);
  afterAll(() => host.close());

  test("when the last process of its kind is removed", async () => {
    await make();
    expect(await groups()).toBe("karmada-half\n");
    await removeProcess(host, half, 2);
    expect(await groups()).toBe("");
  }, 60_000);

  test("when the host is let go of", async () => {
    await make();
    await ask("rm -r /etc/karmada/half /var/lib/karmada/half; echo prod >/etc/karmada/deployment");
    await letGoOf(host, "prod");
    expect(await ask("getent passwd | grep ^karmada- || true")).toBe("");
    expect(await groups()).toBe("");
  }, 60_000);

  test("unless somebody has been put into it", async () => {
    await make();
    await ask("usermod -aG karmada-half daemon");
    await removeProcess(host, half, 2);
    expect(await groups()).toBe("karmada-half\n");
    expect(await ask("id -Gn daemon")).toBe("daemon karmada-half\n");
  }, 60_000);
});
