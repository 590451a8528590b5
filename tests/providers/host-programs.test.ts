import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { sha256 } from "../../lib/sha256.ts";
import { provider as former } from "../../providers/host-program-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { programPath } from "../support/programs.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const digestOf = (path: string): string => sha256(readFileSync(path));

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a host that programs are sent to", () => {
  const { machine, ask, directory } = labHost(69);
  const host = (): HostAddress => machine().address;

  test("has its program sent once, by whom it was not obtained too", async () => {
    const source = await programPath("etcd");
    const etcd = digestOf(source);
    const wanted = { host: host(), programs: { etcd }, sources: { etcd: source } };
    const { outs } = await programs.create(wanted);
    expect(outs).toMatchObject({ programs: { etcd }, previous: {} });
    expect((await programs.read("id", outs!)).props?.["drift"]).toBeUndefined();
    rmSync(machine().path(`/opt/karmada/${etcd}/etcd`));
    expect((await programs.read("id", outs!)).props?.["drift"]).toEqual([
      `lab69h1 (${machine().ip}): /opt/karmada/${etcd}/etcd is not as it was sent`,
    ]);
    await programs.update("id", outs!, { ...wanted, sources: { etcd: "/home/colleague/etcd" } });
    expect((await programs.read("id", outs!)).props?.["drift"]).toBeUndefined();
  });

  test("keeps the version before, to which it goes back without its being sent again, and no older one", async () => {
    const scripts = ["1", "2", "3"].map((number) => {
      const path = join(directory(), `tool-${number}`);
      writeFileSync(path, `#!/bin/sh\necho ${number}\n`);
      return { path, digest: digestOf(path) };
    });
    const tool = (i: number) => ({
      host: host(),
      programs: { tool: scripts[i]!.digest },
      sources: { tool: scripts[i]!.path },
    });
    const there = async () => (await ask("cat /opt/karmada/*/tool | sed -n 's/^echo //p' | sort")).trim().split("\n");
    let { outs } = await programs.create(tool(0));
    const go = async (i: number) => ({ outs } = await programs.update("id", outs!, tool(i)));
    const inode = () => ask(`stat -c '%i %Y' /opt/karmada/${scripts[0]!.digest}/tool`);
    const first = await inode();
    await go(1);
    expect(await there()).toEqual(["1", "2"]);
    await go(0);
    expect(await inode()).toBe(first);
    expect(outs).toMatchObject({ previous: { tool: scripts[1]!.digest } });
    await go(2);
    expect(await there()).toEqual(["1", "3"]);
    await programs.delete("id", outs!);
    expect(await ask("find /opt/karmada -name 'tool*'")).toBe("");
  });

  test("keeps what is not wanted any more until others are replaced: it may still run", async () => {
    const path = (name: string) => join(directory(), name);
    const digest = (name: string) => digestOf(path(name));
    for (const name of ["one", "two", "three"]) writeFileSync(path(name), `of ${name}\n`);
    const having = (...files: string[]) => ({
      host: host(),
      programs: Object.fromEntries(files.map((name) => [name, digest(name)])),
      sources: Object.fromEntries(files.map((name) => [name, path(name)])),
    });
    const there = async () =>
      (await ask("cat /opt/karmada/*/one /opt/karmada/*/two /opt/karmada/*/three || true")).trim();
    const of = (...names: string[]) => names.map((name) => `of ${name}`).join("\n");
    let { outs } = await programs.create(having("one", "two"));
    const go = async (...files: string[]) => ({ outs } = await programs.update("id", outs!, having(...files)));
    await go("two");
    expect(outs).toMatchObject({ previous: { one: digest("one") } });
    expect(await there()).toBe(of("one", "two"));
    await go("two", "three");
    expect(outs).toMatchObject({ previous: {} });
    expect(await there()).toBe(of("two", "three"));
    await programs.delete("id", outs!);
    expect(await there()).toBe("");
  });

  test("remembers what has come to it of what could not come whole, so that it goes again", async () => {
    const path = join(directory(), "arrives");
    writeFileSync(path, "of it\n");
    const digests = ["a", "b"].map((each) => each.repeat(64));
    const arrives = digestOf(path);
    const wanted = {
      host: host(),
      programs: { arrives, lost: digests[0], missing: digests[1] },
      sources: { arrives: path, lost: `${path}-not`, missing: `${path}-neither` },
    };
    const failed = await programs.create(wanted).then(
      () => undefined,
      (error: Error & { id?: string; properties?: State }) => error,
    );
    expect(failed?.message.split("\n")).toEqual(
      ["not", "neither"].map((end) =>
        expect.stringContaining(`ENOENT: no such file or directory, stat '${path}-${end}'`),
      ),
    );
    expect(failed?.properties).toMatchObject({ programs: wanted.programs, previous: {} });
    expect(await ask("ls /opt/karmada/*/arrives")).not.toBe("");
    await programs.delete("id", failed!.properties);
    expect(await ask("find /opt/karmada -name 'arrives*'")).toBe("");
  });

  test("remembers the same of what came with a change, and what was there before it", async () => {
    const path = join(directory(), "comes");
    writeFileSync(path, "before\n");
    const digest = () => digestOf(path);
    const before = digest();
    const sources = { comes: path, more: path, missing: `${path}-not` };
    const was = { host: host(), programs: { comes: before }, sources };
    const { outs } = await programs.create(was);
    writeFileSync(path, "after\n");
    const wanted = { ...was, programs: { comes: digest(), more: digest(), missing: "a".repeat(64) } };
    const failed = await programs.update("id", outs as State, wanted).then(
      () => undefined,
      (error: Error & { properties?: State }) => error,
    );
    expect(failed?.properties).toMatchObject({ programs: wanted.programs, previous: { comes: before } });
    expect(await ask("ls /opt/karmada/*/more")).not.toBe("");
    await programs.delete("id", failed!.properties);
    expect(await ask("find /opt/karmada -name 'comes*' -o -name 'more*'")).toBe("");
  });

  test("loses nothing that a process uses when it is let go of by stacks that had a resource for each program", async () => {
    const names = ["linked", "in-unit", "in-file", "unused"];
    const at = (name: string) =>
      `/opt/karmada/${"0".repeat(60)}${String(names.indexOf(name)).padStart(4, "0")}/${name}`;
    await ask(
      [
        ...names.map((name) => `install -D /bin/true ${at(name)}`),
        `mkdir -p /opt/karmada/bin /etc/karmada/some; ln -s ${at("linked")} /opt/karmada/bin/some`,
        `printf 'ExecStart=/opt/karmada/bin/some ${at("in-unit")} x\n' >/etc/systemd/system/karmada-some.service`,
        `printf '{"programs":{"x":"${at("in-file")}"}}' >/etc/karmada/some/settings.json`,
      ].join("\n"),
    );
    const newer = at("linked").replace("/opt/karmada/0", "/opt/karmada/1");
    await ask(`install -D /bin/true ${newer}`);
    const drop = () => Promise.all(names.map((name) => former.delete("id", { host: host(), name, previous: "" })));
    const left = async () =>
      (await ask(`ls ${[...names.map(at), newer].join(" ")} 2>/dev/null || true`)).trim().split("\n");
    await drop();
    expect(await left()).toEqual([...names.slice(0, 3).map(at), newer]);
    await ask("rm -r /opt/karmada/bin/some /etc/karmada/some /etc/systemd/system/karmada-some.service");
    await drop();
    expect(await left()).toEqual([""]);
  });
});
