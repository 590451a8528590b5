import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const hostKey = "SHA256:5Hd3rT1Jwqv2mJX3n3Nq4bqH0Gq2Yw7c1kT0o8bLZ9E";
const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\ns3cr3t\n";
const ssh = (more: object = {}) => ({ kind: "ssh", address: "10.0.0.11", hostKey, privateKey, ...more });
const member = (more: object = {}, fields: object = {}) => ({ name: "paris", credentials: ssh(more), ...fields });
const credentialsOf = (more: object) => resolve({ members: [member(more)] }, context).members[0]!.credentials;
const problemsWith = (...members: object[]) => problemsOf({ members });

test("a login has defaults, and the kubeconfig is where distributions have it", () => {
  const login = { address: "10.0.0.11", hostKey, user: "root", port: 22, privateKey, through: [] };
  const [kubeadm, k3s, rke2] = [
    "/etc/kubernetes/admin.conf",
    "/etc/rancher/k3s/k3s.yaml",
    "/etc/rancher/rke2/rke2.yaml",
  ];
  expect(credentialsOf({})).toEqual({ kind: "ssh", login, paths: [kubeadm, k3s, rke2] });
  expect(credentialsOf({ distribution: "k3s" })).toMatchObject({ paths: [k3s] });
  expect(credentialsOf({ path: "/root/admin.kubeconfig", server: "https://paris:6443/", context: "a" })).toEqual({
    kind: "ssh",
    login,
    paths: ["/root/admin.kubeconfig"],
    server: "https://paris:6443",
    context: "a",
  });
});

test("hosts in between are logged in to as the host is, or by what they say themselves", () => {
  const through = [
    { address: "10.0.0.1", hostKey },
    { address: "10.0.0.2", hostKey, user: "jump", port: 22, password: "s3cr3t" },
  ];
  expect(credentialsOf({ user: "ops", port: 2222, through })).toMatchObject({
    login: {
      user: "ops",
      port: 2222,
      through: [
        { address: "10.0.0.1", user: "ops", port: 2222, privateKey },
        { address: "10.0.0.2", user: "jump", port: 22, password: "s3cr3t" },
      ],
    },
  });
});

test("a login without anything to log in with, or with what contradicts itself, is refused without a secret", () => {
  expect(
    problemsWith(
      member({ privateKey: undefined }),
      { ...member({ distribution: "rke2", path: "/a" }), name: "b" },
      { ...member({ privateKey: undefined, agent: "/a", passphrase: "x" }), name: "c" },
    ),
  ).toEqual([
    "members[0].credentials: nothing to log in with, want a privateKey, a password or an agent",
    "members[1].credentials.path: got both this and distribution, want one of them",
    "members[2].credentials: there is a passphrase, but no privateKey that it opens",
  ]);
  expect(problemsWith(member({ hostKey: "yes", path: "admin.conf", server: "http://a", distribution: "k4s" }))).toEqual(
    [
      'members[0].credentials.hostKey: got "yes", want a line of known_hosts, or a fingerprint such as "SHA256:..." (ssh-keyscan shows the first, ssh-keygen -l the second)',
      'members[0].credentials.distribution: got "k4s", want "kubeadm", "k3s" or "rke2"',
      'members[0].credentials.path: got "admin.conf", want an absolute path such as "/etc/kubernetes/admin.conf"',
      'members[0].credentials.server: got "http://a", want an address such as "https://10.0.0.11:6443"',
    ],
  );
});

test("an agent in Pull mode is told its member's address from the start", () => {
  const message =
    "members[0].credentials.server: missing, want the address of the API server in Pull mode: its agent is told it from the start";
  expect(problemsWith(member({}, { syncMode: "Pull" }))).toEqual([message]);
  expect(problemsWith(member({ server: "https://paris:6443" }, { syncMode: "Pull" }))).toEqual([]);
  const networks = (of: string) => ({
    members: [member({}, { syncMode: "auto", networks: [of] })],
    controlPlane: { networks: ["corp"] },
  });
  expect(problemsOf(networks("lab"))).toEqual([message]);
  expect(problemsOf(networks("corp"))).toEqual([]);
});
