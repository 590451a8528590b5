/** What is refused of hosts before any of them is asked, and what a refresh sees of their network interfaces. */
import { generateKeyPairSync } from "node:crypto";
import { jest } from "@jest/globals";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { provider } from "../../providers/host-preflight-impl.ts";

const passphrase = "open sesame";
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase },
});

const endpoint = (address: string, login: object) => ({
  address,
  port: 22,
  user: "root",
  hostKey: "SHA256:x",
  ...login,
});
const wanted = (name: string, address: string, login: object, through?: object[]) => ({
  address: { kind: "ssh", name, ...endpoint(address, login), ...(through && { through }) },
  ports: {},
  reached: [],
  etcd: false,
});

async function reasons(...hosts: ReturnType<typeof wanted>[]) {
  const inputs = {
    deployment: "prod",
    hosts: Object.fromEntries(hosts.map((host) => [host.address.name, host])),
  };
  const { failures = [] } = await provider.check({}, inputs);
  return failures.map(({ property, reason }) => `${property}: ${reason}`);
}

test("a key that opens is no problem, nor is a host without one", async () => {
  const hosts = [
    wanted("host1", "10.0.0.1", { privateKey, passphrase }),
    wanted("host2", "10.0.0.2", { password: "secret" }),
  ];
  expect(await reasons(...hosts)).toEqual([]);
});

test("keys that nobody can log in with are named in the preview, those of jump hosts too", async () => {
  const locked = "the private key is locked and no passphrase is given";
  const advice = "give its passphrase, or log in by an agent that has opened it";
  const hosts = [
    wanted("host1", "10.0.0.1", { privateKey }),
    wanted("host2", "10.0.0.2", { privateKey, passphrase: "wrong" }),
    wanted("host3", "10.0.0.3", { password: "secret" }, [endpoint("10.0.0.9", { privateKey })]),
    wanted("host4", "10.0.0.4", { privateKey: "a key" }),
  ];
  expect(await reasons(...hosts)).toEqual([
    `hosts: host1 (10.0.0.1): ${locked}\n${advice}`,
    "hosts: host2 (10.0.0.2): the private key is not opened by its passphrase",
    `hosts: host3 (10.0.0.3): ${locked}\n${advice}`,
    "hosts: host4 (10.0.0.4): the private key cannot be used: Unsupported key format",
  ]);
});

describe("the hosts that a change takes out of the list", () => {
  const list = (...names: string[]) => {
    const hosts = names.map((name) => wanted(name, `10.0.0.${name.slice(-1)}`, { password: "secret" }));
    return { deployment: "prod", hosts: Object.fromEntries(hosts.map((each) => [each.address.name, each])) };
  };
  const left = async (before: object, now: object) =>
    Object.keys(((await provider.check(before, { ...now, left: {} })).inputs as { left: object }).left);

  test("are known in its preview, and go on being until the next one", async () => {
    const three = list("host1", "host2", "host3");
    const one = list("host1");
    expect(await left({}, three)).toEqual([]);
    expect(await left(three, one)).toEqual(["host2", "host3"]);
    const { inputs: after } = await provider.check(three, { ...one, left: {} });
    expect(await left(after!, one)).toEqual(["host2", "host3"]);
    expect(await left(after!, list("host1", "host4"))).toEqual([]);
  });

  test("are others than one that comes in their place under the same name", async () => {
    const moved = { host1: wanted("host1", "10.0.0.9", { password: "secret" }) };
    const { inputs } = await provider.check(list("host1"), { ...list(), hosts: moved, left: {} });
    expect((inputs as { left: object }).left).toMatchObject({ host1: { address: "10.0.0.1" } });
  });
});

describe("a refresh of hosts that share an address", () => {
  const address = { kind: "local" as const, name: "host1", address: "10.0.0.1" };
  const vip = { address: "10.0.0.100", routerId: 100 };
  const drift = async (printed: string, own?: string, sharing: object = { vip }) => {
    const answers: Record<string, string> = {
      "asking whose it is": "prod\n",
      "asking for its network interfaces": printed,
    };
    const run = jest.spyOn(hostAt(address), "run").mockImplementation((doing) => Promise.resolve(answers[doing]!));
    const { props } = await provider.read("prod-hosts", {
      deployment: "prod",
      hosts: { host1: { address, ports: {}, reached: [], etcd: false, ...sharing } },
      taken: { host1: address },
      interfaces: own === undefined ? {} : { host1: { own, vip: own } },
    });
    run.mockRestore();
    return props?.["drift"] as unknown;
  };
  const lines = "address 127.0.0.1/8 lo\naddress 10.0.0.1/24 enp1s0@if7\naddress 10.0.0.100/32 enp1s0\n";

  test("sees that another interface has the address of a host, for what is told of it to follow", async () => {
    expect(await drift(lines, "eth0")).toEqual(["host1 (10.0.0.1): enp1s0 has its address now, it was eth0"]);
    expect(await drift("address 10.0.0.10/24 eth0\n", "eth0")).toEqual([
      "host1 (10.0.0.1): no interface of it has its address now, it was eth0",
    ]);
  });

  test("has nothing to say where the interface is the same, was not noted, or does not matter", async () => {
    expect(await drift(lines, "enp1s0")).toBeUndefined();
    expect(await drift(lines)).toBeUndefined();
    expect(await drift(lines, "eth0", {})).toBeUndefined();
  });
});
