import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const hosts = [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}`, ssh: { hostKey } }));
const placement = (loadBalancer: object, more: object = {}) => ({
  kind: "hosts",
  ssh: { privateKey: "a key" },
  hosts,
  loadBalancer,
  ...more,
});
const ours = (more: object = {}) => ({ kind: "haproxy", vip: "10.0.0.100", ...more });

test("an address is all that a load balancer of ours needs; it is in the API servers' certificates", () => {
  const { placement: found, pki } = resolve({ placement: placement(ours()) }, context);
  expect(found).toMatchObject({
    loadBalancer: {
      kind: "haproxy",
      vip: "10.0.0.100",
      port: 6443,
      hosts: ["host1", "host2", "host3"],
      routerId: 100,
    },
  });
  expect(pki.extraNames).toEqual(["10.0.0.100"]);
});

test("it can be on some of the hosts, in an order, on an interface and under a number of their own", () => {
  const chosen = { hosts: ["host3", "host1"], interface: "eth1", routerId: 7, port: 443 };
  expect(resolve({ placement: placement(ours(chosen)) }, context).placement).toMatchObject({ loadBalancer: chosen });
});

test("an address that ends in 0 has a number, too", () =>
  expect(resolve({ placement: placement(ours({ vip: "10.0.1.0" })) }, context).placement).toMatchObject({
    loadBalancer: { routerId: 1 },
  }));

test.each([
  [
    "a host's own address",
    { vip: "10.0.0.12" },
    'placement.loadBalancer.vip: got "10.0.0.12", want an address that no host has: it is that of hosts[1]',
  ],
  [
    "an address that is none",
    { vip: "10.0.0.300" },
    'placement.loadBalancer.vip: got "10.0.0.300", want an IPv4 address such as "10.0.0.11"',
  ],
  [
    "a port of ours",
    { port: 5443 },
    "placement.loadBalancer.port: got 5443, want another port: karmada-apiserver has it",
  ],
  [
    "a single host",
    { hosts: ["host1"] },
    "placement.loadBalancer.hosts: got 1, want at least two hosts: one takes the address over from the other",
  ],
  [
    "a host that is none",
    { hosts: ["host1", "host9"] },
    'placement.loadBalancer.hosts[1]: got "host9", want one of placement.hosts (host1, host2, host3)',
  ],
  [
    "a host twice",
    { hosts: ["host1", "host1"] },
    'placement.loadBalancer.hosts[1]: got "host1", want another host: loadBalancer.hosts[0] is the same',
  ],
])("%s is refused", (_, more, problem) => expect(problemsOf({ placement: placement(ours(more)) })).toEqual([problem]));

test("a deployment on one host has nobody to take the address over", () =>
  expect(
    problemsOf({ placement: placement(ours(), { hosts: hosts.slice(0, 1) }), etcd: { kind: "managed", members: 1 } }),
  ).toEqual([
    "placement.loadBalancer.hosts: got 1, want at least two hosts: one takes the address over from the other",
  ]));
