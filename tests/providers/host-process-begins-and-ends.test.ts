import { jest } from "@jest/globals";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { haltOnHosts, resumeOnHosts } from "../../lib/etcd/runtime/host-programs.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { restartPrograms } from "../../lib/programs/restart.ts";
import { provider as process_ } from "../../providers/host-process-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { idleProcess } from "./support/idle-process.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a process on a host that begins, moves and ends", () => {
  const { machine, ask } = labHost(70);
  const host = (): HostAddress => machine().address;
  const idle = (change: object) => idleProcess(host(), change);
  const half = (change: object = {}) => idle({ name: "half", component: "half", contents: { file: "x" }, ...change });
  /** As a later run does. */
  const remove = (state: State) => {
    beginRun();
    return process_.delete("id", state);
  };

  test("waits for one that failed when it was to end, as long as systemd is still to start it again", async () => {
    const leader = (lives: string) => half({ program: "/usr/bin/sh", args: ["-c", `trap 'exit 1' TERM; ${lives}`] });
    const { outs } = await process_.create(await leader("while sleep 0.1; do :; done"));
    machine().write("/etc/systemd/system/busy.service", "[Service]\nType=oneshot\nExecStart=sleep 5\n");
    machine().write("/etc/systemd/system/karmada-half.service.d/after.conf", "[Unit]\nAfter=busy.service\n");
    await ask("systemctl daemon-reload; systemctl start --no-block busy");
    const changed = await process_.update("id", outs as State, await leader("while sleep 0.2; do :; done"));
    expect(await ask("systemctl is-active karmada-half")).toBe("active\n");
    await remove(changed.outs);
    await ask(
      "rm -r /etc/systemd/system/busy.service /etc/systemd/system/karmada-half.service.d; systemctl daemon-reload",
    );
  }, 60_000);

  test("listens again where it did by the time that it has been started again to read something anew", async () => {
    const listener =
      "if [ -e /etc/quiet ]; then exec sleep infinity; fi; sleep 1; exec systemd-socket-activate --accept -l 127.0.0.1:7777 cat";
    const probe = { kind: "tcp", port: 7777 };
    const { outs } = await process_.create(await half({ program: "/usr/bin/sh", args: ["-c", listener], probe }));
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const before = await pid();
    await restartPrograms({ kind: "hosts", members: {}, hosts: [host()] }, ["half", "of-another-host"]);
    expect(await ask("ss -Hltn sport = :7777")).toContain("127.0.0.1:7777");
    expect(await pid()).not.toBe(before);
    await ask("touch /etc/quiet");
    const said = jest.spyOn(console, "log").mockImplementation(() => {});
    await restartPrograms({ kind: "hosts", members: {}, hosts: [host()] }, ["half"]);
    expect(said.mock.calls.flat()).toEqual([
      `warning: lab70h1 (${machine().ip}): half does not listen where it did before it was started again; the next one is started again all the same`,
    ]);
    said.mockRestore();
    await ask("rm /etc/quiet");
    await remove(outs as State);
  }, 120_000);

  test("ends another replica of its program that is there, and goes to another host before it ends here", async () => {
    const create = async (name: string) =>
      (await process_.create(await idle({ name, component: "karmada-scheduler" }))).outs as State;
    // Both want a user of the same name at the same time.
    const [second, estimator] = await Promise.all(["karmada-scheduler-1", "m1-karmada-scheduler"].map(create));
    const first = await create("karmada-scheduler");
    const active = (name: string) => ask(`systemctl is-active karmada-${name} || true`);
    expect([await active("scheduler-1"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);
    expect(await active("m1-karmada-scheduler")).toBe("active\n");

    const at = (change: object) => ({ ...second, host: { ...host(), ...change } });
    const moved = await process_.diff("id", second, at({ name: "h2", address: "10.88.70.12" }));
    expect(moved).toMatchObject({ replaces: ["host"], deleteBeforeReplace: false });
    const renamed = await process_.diff("id", second, at({ name: "h2" }));
    expect(renamed).toMatchObject({ replaces: ["host"], deleteBeforeReplace: true });

    await remove(second);
    expect(await active("scheduler")).toBe("active\n");
    await remove(first);
    await remove(estimator);
  }, 60_000);

  test("ends the eleventh replica, too, and any that was not ended when its own unit was made", async () => {
    const scheduler = (name: string) => idle({ name, component: "karmada-scheduler" });
    const active = (name: string) => ask(`systemctl is-active karmada-${name} || true`);
    const eleventh = (await process_.create(await scheduler("karmada-scheduler-10"))).outs as State;
    const first = (await process_.create(await scheduler("karmada-scheduler"))).outs as State;
    expect([await active("scheduler-10"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);

    await ask("systemctl stop karmada-scheduler; systemctl start karmada-scheduler-10");
    await process_.update("id", first, await scheduler("karmada-scheduler"));
    expect([await active("scheduler-10"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);
    await remove(eleventh);
    await remove(first);
  }, 60_000);

  test("stays where it goes back to after a move that was cut off, also when the way back was cut off too", async () => {
    const declared = await half();
    const there = { ...declared, host: { ...host(), name: "h2", address: "10.88.70.12" } };
    const active = () => ask("systemctl is-active karmada-half || true; ls /etc/karmada/half 2>/dev/null || true");
    const said = jest.spyOn(console, "log").mockImplementation(() => undefined);
    const { id, outs: former } = await process_.create(declared);
    // The old state is pending delete by now, and the one at the other host is replaced.
    beginRun();
    await half();
    expect(await process_.diff("h2/half", there, declared)).toMatchObject({ replaces: ["host"] });
    const { outs: back } = await process_.create(declared);
    await process_.delete(id!, former as State);
    expect(await active()).toBe("active\nfile\n");

    beginRun();
    await process_.diff(id!, back as State, await half());
    await process_.delete(id!, former as State);
    expect(await active()).toBe("active\nfile\n");
    expect(said.mock.calls.flat()).toEqual(
      Array(2).fill("lab70h1/half: is declared there again, so it stays as it is"),
    );
    said.mockRestore();

    // What a refresh asks in the same run is no declaration, nor is that of another place.
    beginRun();
    await process_.diff(id!, back as State, declared);
    await process_.check({}, there);
    expect(await process_.diff(id!, back as State, there)).toMatchObject({ replaces: ["host"] });
    await process_.delete(id!, back as State);
    expect(await active()).toBe("inactive\n");
  }, 60_000);

  test("waits for the group of its user, which another process of its kind is just being given", async () => {
    const accounts = `echo karmada-half:x:980:980::/:/usr/sbin/nologin >>/etc/passwd; sleep 3; echo karmada-half:x:980: >>/etc/group`;
    await ask(`systemd-run --quiet flock /run/karmada-accounts.lock sh -c '${accounts}'; sleep 0.5`);
    const { outs } = await process_.create(await half());
    expect(await ask("stat -c %G /etc/karmada/half")).toBe("karmada-half\n");
    await remove(outs as State);
  }, 60_000);

  test("is taken up as an operator's drop-in says that was there before it", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    await ask(`mkdir ${dropIns} && printf '[Install]\nAlias=half-as-much.service\n' >${dropIns}/10-ours.conf`);
    const { outs } = await process_.create(await half());
    expect(await ask("systemctl is-enabled half-as-much.service karmada-half.service")).toBe("alias\nenabled\n");
    await remove(outs as State);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 60_000);

  test("is started again for an operator's drop-in that it lacked when it was started, and left alone once it serves", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const serve = "exec systemd-socket-activate --accept -l 127.0.0.1:7777 cat";
    const wanting = async (startSeconds: number) =>
      half({
        program: "/usr/bin/sh",
        args: ["-c", `if [ -n "$OURS" ]; then ${serve}; fi; exec sleep infinity`],
        probe: { kind: "tcp", port: 7777 },
        startSeconds,
      });
    const failed = process_.create(await wanting(2)).catch((error: unknown) => error);
    let half_ = ((await failed) as { properties: State }).properties;
    const again = async (startSeconds: number) => {
      const updated = process_.update("id", half_, await wanting(startSeconds));
      half_ = (
        (await updated.catch((error: unknown) => ({ outs: (error as { properties: State }).properties }))) as State
      ).outs;
    };
    const first = await pid();
    await again(2);
    expect(await pid()).toBe(first);

    const log = jest.spyOn(console, "log").mockImplementation(() => undefined);
    await ask(`sleep 1; mkdir ${dropIns} && printf '[Service]\nEnvironment=OURS=1\n' >${dropIns}/ours.conf`);
    await again(20);
    const second = await pid();
    expect(second).not.toBe(first);
    expect(log.mock.calls).toEqual([
      [`${hostAt(host()).label}: half was started before ${dropIns}/ours.conf: starting it again`],
    ]);

    await ask(`sleep 1; echo Environment=OURS= >>${dropIns}/ours.conf; systemctl daemon-reload`);
    await again(20);
    expect(await pid()).toBe(second);

    // It serves no more, and its drop-in is mended by one who has had systemd read it.
    await ask("systemctl restart karmada-half");
    const third = await pid();
    await ask(`sleep 2; printf '[Service]\nEnvironment=OURS=2\n' >${dropIns}/ours.conf; systemctl daemon-reload`);
    await again(20);
    expect(await pid()).not.toBe(third);
    log.mockRestore();
    await remove(half_);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 120_000);

  test("that ends each time is started with a drop-in that has come since, which nobody had systemd read", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    const wanting = await half({ program: "/usr/bin/sh", args: ["-c", '[ -n "$OURS" ] && exec sleep infinity'] });
    const failed = await process_.create(wanting).catch((error: unknown) => error);
    await ask(`mkdir ${dropIns} && printf '[Service]\nEnvironment=OURS=1\n' >${dropIns}/ours.conf`);
    const { outs } = await process_.update("id", (failed as { properties: State }).properties, wanting);
    expect(await ask("sleep 2; systemctl show karmada-half -p NRestarts --value")).toBe("0\n");
    await remove(outs);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 120_000);

  test("is found by what of it runs when all its files are lost, and runs as it is declared then", async () => {
    await process_.create(await half());
    const pid = await ask("systemctl show karmada-half -p MainPID --value");
    await ask(
      "rm -r /etc/karmada/half /var/lib/karmada/half /opt/karmada/bin/half /etc/systemd/system/karmada-half.service",
    );
    const { outs } = await process_.create(await half({ args: ["8640000"] }));
    expect(await ask("systemctl show karmada-half -p MainPID --value")).not.toBe(pid);
    expect(await ask("systemctl show karmada-half -p UnitFileState -p NeedDaemonReload --value")).toBe("enabled\nno\n");
    expect(await ask("pgrep -af 8640000")).toMatch(/^\d+ \/opt\/karmada\/bin\/half 8640000\n$/);
    await remove(outs as State);
  }, 60_000);

  test("is not ready by the answer of somebody else at its port", async () => {
    const stranger = { kind: "tcp", port: 22 };
    // One that ends at once runs for a moment, on a busy machine for a long one.
    const never = await half({ program: "/usr/bin/not-there", args: [], probe: stranger, startSeconds: 3 });
    await expect(process_.create(never)).rejects.toThrow(/half on .*somebody answers, but it does not run/);

    // A restore halts it all the same: it could come to run at any time.
    const state = () => ask("systemctl is-active karmada-half || true");
    await haltOnHosts([host()], ["half", "of-another-host"]);
    expect(await state()).toBe("inactive\n");
    await resumeOnHosts([host()], ["half", "of-another-host"]);
    expect(await state()).toBe("activating\n");

    const { outs } = await process_.create(await half({ probe: stranger }));
    await remove(outs as State);
  }, 60_000);

  test("has ended before it is started anew for an edited file, which its probe would not tell", async () => {
    const slow = ["-c", "trap 'sleep 2; exit 0' TERM; while :; do sleep 1 & wait $!; done"];
    const { outs } = await process_.create(
      await half({ program: "/bin/sh", args: slow, probe: { kind: "tcp", port: 22 } }),
    );
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const first = await pid();
    await ask("echo y >>/etc/karmada/half/file");
    const { outs: again } = await process_.update("id", outs as State, outs as never);
    expect(await pid()).not.toBe(first);
    expect((await process_.read("id", again as State)).props?.["drift"]).toBeUndefined();
    await remove(again as State);
  }, 60_000);

  test("ends without having the host read its units again, unless systemd still knows of its own", async () => {
    const read = () => ask("systemctl show -p UnitsLoadTimestampMonotonic --value");
    const { outs } = await process_.create(await half());
    const before = await read();
    await remove(outs as State);
    expect(await read()).toBe(before);
    const { outs: another } = await process_.create(await half());
    await ask("systemctl daemon-reload");
    const known = await read();
    await remove(another as State);
    expect(await read()).not.toBe(known);
    expect(await ask("systemctl show karmada-half -p LoadState --value")).toBe("not-found\n");
  }, 60_000);
});
