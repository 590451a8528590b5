import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gatherFacts } from "../../../lib/hosts/facts.ts";
import { closeHosts, hostAt } from "../../../lib/hosts/hosts.ts";
import type { Host } from "../../../lib/hosts/host.ts";
import { placeInMirror } from "../../../lib/hosts/mirrored.ts";
import { ensureProgram, hasProgram } from "../../../lib/hosts/program.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { MirrorServer } from "../../support/mirror.ts";
import { hasLab, Lab, type LabHost } from "../../support/nspawn-lab.ts";
import { sha256 } from "../../../lib/sha256.ts";

test("only what is of the toolchain's store has a place in a mirror", () => {
  const place = `content/${"a".repeat(64)}/kube-apiserver`;
  expect(placeInMirror(`/home/me/.cache/karmada-pulumi/${place}`)).toBe(place);
  expect(placeInMirror("/src/node_modules/node/bin/node")).toBeUndefined();
  expect(placeInMirror("/src/content/backup.mjs")).toBeUndefined();
});

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a host that is to download programs", () => {
  let lab: Lab;
  let machine: LabHost;
  let host: Host;
  let authority: Authority;
  let stranger: Authority;
  let mirror: MirrorServer;
  let plain: MirrorServer;
  const digest = (content: Buffer) => sha256(content);
  const content = randomBytes(3_000_000);
  const program = { name: "tool", sha256: digest(content) };
  const place = `content/${"1".repeat(64)}/tool`;
  let file: string;
  const said: string[] = [];
  const bring = (settings: { url: string; ca?: string }, wanted = program, from = file) =>
    ensureProgram(host, wanted, from, { mirror: settings, say: (sentence) => said.push(sentence) });
  const doubted = () => ({ url: mirror.url, ca: stranger.certificate });
  const secured = () => ({ url: mirror.url, ca: authority.certificate });
  const forget = () => rmSync(machine.path("/opt/karmada"), { recursive: true, force: true });
  const left = () => host.run("listing", "ls /opt/karmada; ls /tmp | grep -v systemd || true");

  beforeAll(async () => {
    lab = new Lab(22);
    machine = await lab.add(1);
    host = hostAt(machine.address);
    file = join(lab.directory, "store", place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    [authority, stranger] = [await createAuthority("mirror"), await createAuthority("stranger")];
    const leaf = await authority.issue({ commonName: "mirror", hosts: [lab.gateway] });
    mirror = await MirrorServer.start(join(lab.directory, "mirror"), lab.gateway, 28760, leaf);
    plain = await MirrorServer.start(join(lab.directory, "plain"), lab.gateway, 28761);
    for (const server of [mirror, plain]) server.put(file, place);
  }, 300_000);
  afterAll(async () => {
    for (const server of [mirror, plain]) server?.close();
    closeHosts();
    await lab.stop();
  });
  beforeEach(() => {
    said.length = 0;
    mirror.asked.length = 0;
    forget();
  });

  /** Without one of the host's programs. */
  const without = async (names: readonly string[], run: () => Promise<void>) => {
    const paths = names.map((name) => machine.path(`/usr/bin/${name}`));
    for (const path of paths) renameSync(path, `${path}.hidden`);
    try {
      await run();
    } finally {
      for (const path of paths) renameSync(`${path}.hidden`, path);
    }
  };

  test.each([
    ["curl", []],
    ["wget, where there is no curl", ["curl"]],
  ])("gets one once by %s, over verified TLS, whole, for everybody to execute", async (_, hidden) => {
    await without(hidden, async () => {
      expect(await bring(secured())).toBe(true);
      expect(mirror.asked).toEqual([`GET /${place}`]);
      expect(await hasProgram(host, program)).toBe(true);
      expect(await host.run("asking", `stat -c '%a %U' /opt/karmada/${program.sha256}/tool`)).toBe("755 root\n");
      expect(await bring(secured())).toBe(false);
      expect(mirror.asked).toHaveLength(1);
      expect(await left()).toBe(`${program.sha256}\n`);
    });
  });

  test("gets one without TLS, too, and by an address with a slash at its end", async () => {
    expect(await bring({ url: `${plain.url}/` })).toBe(true);
    expect(plain.asked).toEqual([`GET /${place}`]);
  });

  test("is sent what is of no mirror", async () => {
    const own = join(lab.directory, "own.mjs");
    writeFileSync(own, content);
    expect(await bring(secured(), program, own)).toBe(true);
    expect(mirror.asked).toEqual([]);
    expect(await hasProgram(host, program)).toBe(true);
  });

  const missing = `content/${"2".repeat(64)}/tool`;
  const advice = (at: string) =>
    `the mirror is to have at ${at} what this machine has: unpack there a bundle with the versions of the stack file (npm run toolchain -- --karmada VERSION --kubernetes VERSION --etcd VERSION --bundle FILE), or obtain programs from it here, too (KARMADA_TOOLCHAIN_MIRROR=`;

  test.each([
    ["curl", [], /downloading tool from \S+: .*404/],
    ["wget", ["curl"], /downloading tool from \S+: .*404/],
  ])("says what to do where the mirror does not have one, by %s, and keeps nothing", async (_, hidden, cause) => {
    const other = join(lab.directory, "store", missing);
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, content);
    await without(hidden, async () => {
      const error = await bring(secured(), program, other).catch(({ message }: Error) => message);
      expect(error).toMatch(cause);
      expect(error).toContain(`lab22h1 (${machine.ip}): downloading tool from ${mirror.url}: `);
      expect(error).toContain(`\n${advice(missing)}${mirror.url})`);
      expect(await left()).toBe("");
    });
  });

  test("takes no other content for it, and keeps nothing of it", async () => {
    const wanted = digest(Buffer.from("another"));
    await expect(bring(secured(), { name: "tool", sha256: wanted })).rejects.toThrow(
      `downloading tool from ${mirror.url}: its SHA-256 is ${program.sha256.slice(0, 12)}, want ${wanted.slice(0, 12)}\n${advice(place)}`,
    );
    expect(await left()).toBe("");
  });

  test.each([
    ["curl", [], /SSL certificate problem/],
    ["wget", ["curl"], /The certificate of .* is not trusted/],
  ])("takes none from a server that it does not know, by %s", async (_, hidden, cause) => {
    await without(hidden, async () => {
      const error = await bring(doubted()).catch(({ message }: Error) => message);
      expect(error).toMatch(cause);
      expect(error).toContain("\nwithout placement.mirror this machine sends it");
      expect(await left()).toBe("");
    });
  });

  test("tells of what takes long, with how far it is", async () => {
    mirror.pace = 250_000;
    try {
      expect(await bring(secured())).toBe(true);
    } finally {
      delete mirror.pace;
    }
    const telling = `lab22h1 (${machine.ip}): downloading tool from ${mirror.url}: `;
    const told = said.map((sentence) => sentence.replace(telling, ""));
    // How often depends on how long it is on its way before the first of it arrives.
    expect(told.at(-1)).toMatch(/^[23] of 3 MB$/);
    expect(told.filter((each) => !/^\d of 3 MB$/.test(each))).toEqual([]);
  }, 60_000);

  test("is found, before anything is put on it, to come to its mirror, or not and why", async () => {
    const asking = { disk: false, reach: [], names: [] };
    const asked = async (settings: { url: string; ca?: string }) =>
      (await gatherFacts(host, { ...asking, mirror: settings })).mirror;
    expect(await asked(secured())).toBe("answers");
    expect(mirror.asked).toEqual(["HEAD /manifest.json"]);
    expect(await asked({ url: `${plain.url}/nothing` })).toMatch(/404/);
    expect(await asked(doubted())).toMatch(/SSL certificate problem/);
    expect(await asked({ url: `http://${lab.gateway}:28769` })).toMatch(/Failed to connect|Couldn't connect/);
    await without(["curl"], async () => {
      expect(await asked(secured())).toBe("answers");
      expect(await asked(doubted())).toMatch(/is not trusted/);
      expect(await asked({ url: `http://${lab.gateway}:28769` })).toMatch(/refused/);
    });
    await without(["curl", "wget"], async () => {
      expect(await asked(secured())).toBe("neither curl nor GNU wget");
    });
    expect((await gatherFacts(host, asking)).mirror).toBeUndefined();
  }, 60_000);
});
