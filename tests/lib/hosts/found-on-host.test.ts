import { parseHost } from "../../../lib/hosts/found-on-host.ts";

const digest = (letter: string) => letter.repeat(64);

/** What a host says of two processes, and of one whose files are left. */
const said = `digest ${digest("a")}  ./etcd-0/pki/ca.crt
digest ${digest("b")}  ./karmada-webhook/webhook.conf
digest ${digest("c")}  ./left/file
access 640 root:karmada-etcd ./etcd-0/pki/ca.crt
access 644 root:karmada-webhook ./karmada-webhook/webhook.conf
access 640 root:UNKNOWN ./left/file
data etcd-0 /mnt/etcd/etcd-0
data karmada-webhook /var/lib/karmada/karmada-webhook
program etcd-0 /opt/karmada/abc/etcd
owner karmada-etcd:karmada-etcd /var/lib/karmada/etcd-0
owner UNKNOWN:UNKNOWN /var/lib/karmada/karmada-webhook
unit ${digest("d")}  karmada-etcd-0.service
unit ${digest("e")}  karmada-webhook.service
passwd karmada-etcd
passwd karmada-webhook
group karmada-etcd
shown MainPID=712
shown NRestarts=3
shown Result=success
shown Id=karmada-etcd-0.service
shown ActiveState=active
shown UnitFileState=enabled
shown 
shown MainPID=0
shown NRestarts=0
shown Result=exit-code
shown Id=karmada-webhook.service
shown ActiveState=failed
shown UnitFileState=disabled
revision 712 r1
`;

test("each process is found with what is its own", () => {
  const found = parseHost(said);
  expect(found.isEmpty).toBe(false);
  expect(found.process("etcd-0", "karmada-etcd")).toEqual({
    files: { "pki/ca.crt": { sha256: digest("a"), access: "640 root:karmada-etcd" } },
    unit: digest("d"),
    data: "/mnt/etcd/etcd-0",
    dataOwner: "karmada-etcd:karmada-etcd",
    account: "karmada-etcd",
    program: "/opt/karmada/abc/etcd",
    state: "active",
    result: "success",
    enabled: true,
    pid: 712,
    revision: "r1",
    restarts: 3,
  });
  expect(found.process("karmada-webhook", "karmada-webhook")).toEqual({
    files: { "webhook.conf": { sha256: digest("b"), access: "644 root:karmada-webhook" } },
    unit: digest("e"),
    data: "/var/lib/karmada/karmada-webhook",
    dataOwner: "UNKNOWN:UNKNOWN",
    state: "failed",
    result: "exit-code",
    enabled: false,
    restarts: 0,
  });
  expect(found.process("left", "karmada-left")).toMatchObject({ state: "", enabled: false });
  expect(found.process("another", "karmada-another")).toBeUndefined();
});

test("a host with nothing of a deployment is empty", () => {
  expect(parseHost("").isEmpty).toBe(true);
  expect(parseHost("").process("etcd-0", "karmada-etcd")).toBeUndefined();
});
