import fc from "fast-check";
import { resolve } from "../../../spec/resolve.ts";
import { problemsOf } from "../configuration.ts";
import { context } from "../configuration.ts";

test("a mistyped flag or feature gate is refused by name, with the one that was meant", () => {
  const controlPlane = {
    "kube-apiserver": { extraArgs: { "max-request-inflight": 3000 }, featureGates: { ContextualLoging: true } },
    "karmada-controller-manager": { featureGates: { Failovr: true } },
  };
  expect(problemsOf({ controlPlane })).toEqual([
    'controlPlane.kube-apiserver.extraArgs.max-request-inflight: kube-apiserver 1.35.3 has no flag of this name, did you mean "max-requests-inflight"?',
    'controlPlane.kube-apiserver.featureGates.ContextualLoging: kube-apiserver 1.35.3 has no feature gate of this name, did you mean "ContextualLogging"?',
    'controlPlane.karmada-controller-manager.featureGates.Failovr: karmada-controller-manager 1.18.2 has no feature gate of this name, did you mean "Failover"?',
  ]);
});

test("failover is switched on with its feature gate, at a rate above nothing", () => {
  const gated = { "karmada-controller-manager": { featureGates: { Failover: false } } };
  expect(problemsOf({ controlPlane: { failover: { enabled: true }, ...gated } })).toEqual([
    "controlPlane.karmada-controller-manager.featureGates.Failover: got false, want it left out: controlPlane.failover.enabled switches it on",
  ]);
  expect(problemsOf({ controlPlane: gated })).toEqual([]);
  expect(problemsOf({ controlPlane: { failover: { evictionsPerSecond: 0, purge: "Never" } } })).toEqual([
    "controlPlane.failover.evictionsPerSecond: got 0, want a number above 0, at most 1000",
    'controlPlane.failover.purge: got "Never", want "Gracefully" or "Directly"',
  ]);
  expect(resolve({}, context).controlPlane.failover).toEqual({
    enabled: false,
    evictionsPerSecond: 10,
    purge: "Gracefully",
  });
});

test("a feature gate that only a later Karmada knows is refused for an earlier one", () => {
  const controlPlane = { "karmada-scheduler": { featureGates: { SchedulingOvercommitProtection: true } } };
  expect(problemsOf({ controlPlane })).toEqual([]);
  expect(problemsOf({ controlPlane, versions: { karmada: "1.17.1" } })).toEqual([
    "controlPlane.karmada-scheduler.featureGates.SchedulingOvercommitProtection: karmada-scheduler 1.17.1 has no feature gate of this name",
  ]);
});

test("a program without feature gates is said to have none", () => {
  expect(problemsOf({ controlPlane: { "karmada-descheduler": { featureGates: { Failover: true } } } })).toEqual([
    "controlPlane.karmada-descheduler.featureGates.Failover: karmada-descheduler 1.18.2 has no feature gates",
  ]);
});

test("flags that others rely on cannot be set by hand", () => {
  const controlPlane = {
    "kube-apiserver": { extraArgs: { "secure-port": 6443, "etcd-servers": "http://127.0.0.1:2379" } },
    "karmada-agent": { extraArgs: { "cluster-name": "other" } },
    "karmada-scheduler": { extraArgs: { "feature-gates": "Failover=true" } },
  };
  expect(problemsOf({ controlPlane, etcd: { kind: "managed", extraArgs: { "quota-backend-bytes": 1 } } })).toEqual([
    "etcd.extraArgs.quota-backend-bytes: want the size of the database in etcd.quota",
    "controlPlane.kube-apiserver.extraArgs.secure-port: this flag is set by the placement, which gives every program its address and ports",
    "controlPlane.kube-apiserver.extraArgs.etcd-servers: this flag is set from what etcd and the certificates are",
    "controlPlane.karmada-scheduler.extraArgs.feature-gates: want feature gates in featureGates",
    "controlPlane.karmada-agent.extraArgs.cluster-name: this flag is set from what etcd and the certificates are",
  ]);
});

test.each([
  ["kube-apiserver", ["proxy-client-cert-file", "requestheader-client-ca-file", "service-account-signing-key-file"]],
  ["kube-controller-manager", ["master", "root-ca-file", "service-account-private-key-file", "cert-dir"]],
  ["karmada-webhook", ["cert-dir", "tls-cert-file-name", "tls-private-key-file-name"]],
  ["karmada-scheduler", ["master"]],
])("files and addresses that %s has from here are not free: %j", (program, flags) => {
  const extraArgs = Object.fromEntries(flags.map((flag) => [flag, "x"]));
  expect(problemsOf({ controlPlane: { [program]: { extraArgs } } })).toEqual(
    flags.map(
      (flag) => `controlPlane.${program}.extraArgs.${flag}: this flag is set from what etcd and the certificates are`,
    ),
  );
});

test("flags by which a program would not come up, or work twice, are refused with what to do instead", () => {
  const manager = { replicas: 1, extraArgs: { "leader-elect": false, "leader-elect-resource-namespace": "default" } };
  const extraArgs = { "anonymous-auth": false, "authorization-mode": "Node,RBAC,Webhook" };
  const election =
    "this flag is set from replicas: one of them works at a time, by a lease where they have a right to it";
  expect(
    problemsOf({ controlPlane: { "kube-apiserver": { extraArgs }, "karmada-controller-manager": manager } }),
  ).toEqual([
    "controlPlane.kube-apiserver.extraArgs.anonymous-auth: want this left out: without a login it is asked whether it serves. That alone is let in by a file for authentication-config with `anonymous: {enabled: true, conditions: [{path: /readyz}]}`",
    'controlPlane.kube-apiserver.extraArgs.authorization-mode: got "Node,RBAC,Webhook", want only those that come after Node and RBAC, which are set, or a file for authorization-config',
    `controlPlane.karmada-controller-manager.extraArgs.leader-elect: ${election}`,
    `controlPlane.karmada-controller-manager.extraArgs.leader-elect-resource-namespace: ${election}`,
  ]);
  const free = {
    "kube-apiserver": { extraArgs: { "authorization-mode": "Webhook" } },
    "karmada-scheduler": { extraArgs: { "leader-elect-resource-name": "by-price" } },
  };
  expect(problemsOf({ controlPlane: free })).toEqual([]);
});

test("API servers that would not start for want of a flag for OIDC are refused", () => {
  const oidc = (flags: object) => problemsOf({ controlPlane: { "kube-apiserver": { extraArgs: flags } } });
  const issuer = { "oidc-issuer-url": "https://login.example.org" };
  const client = { "oidc-client-id": "karmada" };
  const why =
    "want oidc-issuer-url and oidc-client-id where there is any flag for OIDC: kube-apiserver does not start otherwise";
  const at = "controlPlane.kube-apiserver.extraArgs";
  expect(oidc({ ...client, "oidc-groups-claim": "groups" })).toEqual([
    `${at}.oidc-client-id: got no oidc-issuer-url, ${why}`,
  ]);
  expect(oidc(issuer)).toEqual([`${at}.oidc-issuer-url: got no oidc-client-id, ${why}`]);
  expect(oidc({ "oidc-groups-claim": "groups" })).toEqual([
    `${at}.oidc-groups-claim: got no oidc-issuer-url and no oidc-client-id, ${why}`,
  ]);
  expect(oidc({ ...issuer, ...client, "oidc-groups-claim": "groups" })).toEqual([]);
});

test("API servers that would not start for a file beside flags that say the same are refused", () => {
  const flags = (extraArgs: object) =>
    problemsOf({ controlPlane: { "kube-apiserver": { extraArgs, files: { "a.yaml": { text: "x" } } } } });
  const at = "controlPlane.kube-apiserver.extraArgs";
  const file = { file: "a.yaml" };
  const both = "kube-apiserver does not start with both; what they say goes into its file, as";
  const oidc = { "oidc-issuer-url": "https://login.example.org", "oidc-client-id": "karmada" };
  expect(flags({ "authentication-config": file, ...oidc })).toEqual([
    `${at}.authentication-config: got oidc-issuer-url and oidc-client-id beside it, want one or the other: ${both} an entry of \`jwt\``,
  ]);
  expect(flags({ "authentication-config": file, "oidc-groups-claim": "groups" })).toHaveLength(1);
  expect(flags({ "authentication-config": "/etc/authentication.yaml", ...oidc })).toHaveLength(1);
  const webhook = { "authorization-mode": "Webhook", "authorization-webhook-config-file": file };
  expect(flags({ "authorization-config": file, ...webhook, "authorization-webhook-version": "v1" })).toEqual([
    `${at}.authorization-config: got authorization-mode and authorization-webhook-config-file and authorization-webhook-version beside it, want one or the other: ${both} entries of \`authorizers\``,
  ]);
  expect(flags({ "service-account-signing-endpoint": "/run/signer.sock" })).toEqual([
    `${at}.service-account-signing-endpoint: want this left out: kube-apiserver does not start with it beside the key that signs tokens, which is made here`,
  ]);
  const apart = { "authentication-config": file, "api-audiences": "karmada", ...webhook };
  expect(flags(apart)).toEqual([]);
  expect(flags({ "authorization-config": file, ...oidc, "authentication-token-webhook-version": "v1" })).toEqual([]);
  expect(flags({ "authentication-config": "", ...oidc })).toEqual([]);
});

test("API servers that would not start for admission plugins that are on and off are refused", () => {
  const plugins = (flags: object) => problemsOf({ controlPlane: { "kube-apiserver": { extraArgs: flags } } });
  const at = "controlPlane.kube-apiserver.extraArgs";
  expect(plugins({ "enable-admission-plugins": "PodNodeSelector,ServiceAccount" })).toEqual([
    `${at}.enable-admission-plugins: got "PodNodeSelector,ServiceAccount", want it without ServiceAccount: what is off already cannot be the other as well`,
  ]);
  const both = {
    "enable-admission-plugins": "PodNodeSelector",
    "disable-admission-plugins": "PodNodeSelector,Priority",
  };
  expect(plugins({ "disable-admission-plugins": "NodeRestriction" })).toHaveLength(1);
  expect(plugins(both)).toEqual([
    `${at}.disable-admission-plugins: got "PodNodeSelector,Priority", want it without PodNodeSelector: what is on already cannot be the other as well`,
  ]);
  expect(plugins({ ...both, "disable-admission-plugins": "Priority" })).toEqual([]);
});

test("flags are written without their dashes", () => {
  expect(problemsOf({ etcd: { kind: "managed", extraArgs: { "--max-txn-ops": 256 } } })).toEqual([
    'etcd.extraArgs.--max-txn-ops: this key is not allowed, want a flag without its leading dashes, such as "max-requests-inflight"',
  ]);
});

test("serving components have one replica here, controllers up to five", () => {
  const replicas = (component: string, count: number) =>
    problemsOf({ controlPlane: { [component]: { replicas: count } } });
  const serving = ["kube-apiserver", "karmada-aggregated-apiserver", "karmada-webhook", "karmada-search"];
  fc.assert(
    fc.property(fc.constantFrom(...serving, "karmada-metrics-adapter"), fc.integer({ min: 2, max: 5 }), (name, n) => {
      expect(replicas(name, n)).toEqual([
        `controlPlane.${name}.replicas: got ${n}, want 1 with placement.kind "local": it has no load balancer in front of several`,
      ]);
    }),
  );
  expect(replicas("karmada-scheduler", 5)).toEqual([]);
  expect(replicas("karmada-scheduler", 0)).toEqual([
    "controlPlane.karmada-scheduler.replicas: got 0, want a whole number from 1 to 5",
  ]);
});

test.each([
  [{ kubernetes: "1.34.3" }],
  [{ karmada: "1.17.1", kubernetes: "1.34.3", etcd: "3.6.8" }],
  [{ karmada: "1.17.1" }],
])("the versions %j are installed together", (versions) => {
  expect(resolve({ versions }, context).versions).toMatchObject(versions);
});

describe("files that programs are given", () => {
  const withFiles = (files: object, extraArgs: object = {}) => ({
    controlPlane: { "kube-apiserver": { files, extraArgs } },
  });
  const policy = { text: "apiVersion: audit.k8s.io/v1\nkind: Policy\n" };

  test("hold what was typed, or what is in a file beside the stack file", () => {
    const files = { "audit.yaml": policy, "oidc.crt": { path: "oidc.crt" }, keys: { secretText: "s3cret" } };
    const read = { "oidc.crt": { text: "PEM" } };
    const oidc = {
      "oidc-issuer-url": "https://login.example.org",
      "oidc-client-id": "karmada",
      "oidc-ca-file": { file: "oidc.crt" },
    };
    const { controlPlane } = resolve(withFiles(files, oidc), {
      ...context,
      files: read,
    });
    expect(controlPlane["kube-apiserver"].files).toEqual({
      "audit.yaml": policy.text,
      "oidc.crt": "PEM",
      keys: "s3cret",
    });
    expect(controlPlane["kube-apiserver"].extraArgs).toEqual(oidc);
    expect(controlPlane["karmada-scheduler"].files).toEqual({});
  });

  test("come from one place, which can be read", () => {
    const files = { none: {}, two: { ...policy, path: "two" }, gone: { path: "gone" } };
    const error = 'got "gone", but there is no such file: /project/gone';
    expect(problemsOf(withFiles(files), { files: { gone: { error } } })).toEqual([
      "controlPlane.kube-apiserver.files.none: got 0 of path, text and secretText, want one",
      "controlPlane.kube-apiserver.files.two: got 2 of path, text and secretText, want one",
      `controlPlane.kube-apiserver.files.gone.path: ${error}`,
    ]);
  });

  test("stay below the directory of their program", () => {
    expect(problemsOf(withFiles({ "../ca.key": policy }))).toEqual([
      'controlPlane.kube-apiserver.files["../ca.key"]: this key is not allowed, want the name of a file, such as "audit-policy.yaml"',
    ]);
  });

  test("are there for the flags that want them", () => {
    const wants = { "audit-policy-file": { file: "audit.yml" } };
    expect([...problemsOf(withFiles({ "audit.yaml": policy }, wants)), ...problemsOf(withFiles({}, wants))]).toEqual([
      'controlPlane.kube-apiserver.extraArgs.audit-policy-file: got the file "audit.yml", want one of kube-apiserver.files: "audit.yaml"',
      'controlPlane.kube-apiserver.extraArgs.audit-policy-file: got the file "audit.yml", want one of kube-apiserver.files, which has none',
    ]);
  });

  test("are not for programs that run with members", () => {
    expect(problemsOf({ controlPlane: { "karmada-agent": { extraArgs: { v: { file: "x" } } } } })).toEqual([
      "controlPlane.karmada-agent.extraArgs.v: got an object, want text, a number, true or false",
    ]);
  });
});

describe("encryption of what is in etcd", () => {
  const withEncryption = (encryption: object, apiserver: object = {}) => ({
    controlPlane: { encryption, "kube-apiserver": apiserver },
  });
  const secretText = Buffer.alloc(32, 1).toString("base64");

  test("is of Secrets and of what is propagated, where it is wanted", () => {
    expect(resolve({}, context).controlPlane.encryption).toEqual({
      provider: "none",
      resources: ["secrets", "works.work.karmada.io"],
      keys: [],
    });
    expect(
      problemsOf(withEncryption({ provider: "secretbox", rotate: 2, keys: [{ name: "key1", secretText }] })),
    ).toEqual([]);
  });

  test("names each resource and each key once, and keys of 32 bytes, which are not shown", () => {
    const keys = [
      { name: "a", secretText },
      { name: "a", secretText: "c2hvcnQ=" },
    ];
    expect(problemsOf(withEncryption({ provider: "aescbc", resources: ["Secret"], keys: [] }))).toEqual([
      'controlPlane.encryption.provider: got "aescbc", want "none", "identity", "secretbox" or "kms"',
      'controlPlane.encryption.resources[0]: got "Secret", want a resource with its group, such as "secrets" or "works.work.karmada.io"',
    ]);
    expect(problemsOf(withEncryption({ resources: ["secrets", "secrets"], keys }))).toEqual([
      'controlPlane.encryption.resources[1]: got "secrets" again, want each once',
      'controlPlane.encryption.keys[1]: got "a" again, want each once',
      "controlPlane.encryption.keys[1].secretText: got something else, want 32 bytes as base64",
    ]);
  });

  test("is not promised of what other servers write", () => {
    const resources = ["secrets", "clusters.cluster.karmada.io", "resourceregistries.search.karmada.io"];
    const [aggregated, search] = ["karmada-aggregated-apiserver", "karmada-search"].map(
      (server) => `which ${server} writes, in clear: want what kube-apiserver writes`,
    );
    expect(problemsOf(withEncryption({ provider: "secretbox", resources }))).toEqual([
      `controlPlane.encryption.resources[1]: got "clusters.cluster.karmada.io", ${aggregated}`,
      `controlPlane.encryption.resources[2]: got "resourceregistries.search.karmada.io", ${search}`,
    ]);
  });

  test("takes keys only as API servers read them", () => {
    const bytes = Buffer.alloc(32, 0xfb).toString("base64");
    const ofText = (secretText: string) => problemsOf(withEncryption({ keys: [{ name: "a", secretText }] }));
    expect(ofText(`${bytes}\n`)).toEqual([]);
    const refused = ["controlPlane.encryption.keys[0].secretText: got something else, want 32 bytes as base64"];
    for (const text of [
      bytes.replaceAll("+", "-").replaceAll("/", "_"),
      bytes.replace("=", ""),
      `${bytes} `,
      ` ${bytes}`,
    ])
      expect([text, ofText(text)]).toEqual([text, refused]);
  });

  describe("by the plugin of a key service", () => {
    const endpoint = "unix:///run/kms/vault.sock";
    const kms = (more: object = {}) => withEncryption({ provider: "kms", name: "vault", endpoint, ...more });
    const problem = (field: string, message: string) => [`controlPlane.encryption.${field}: ${message}`];

    test("takes its name and its socket", () => {
      expect(problemsOf(kms())).toEqual([]);
      expect(problemsOf(kms({ timeout: "1m", rotate: 1 }))).toEqual([]);
      expect(problemsOf(withEncryption({ provider: "kms" }))).toEqual([
        'controlPlane.encryption.name: missing, want a name in lower-case letters, digits and "-", such as "vault", with provider "kms"',
        'controlPlane.encryption.endpoint: missing, want the absolute path of a socket such as "unix:///run/kms/vault.sock", with provider "kms"',
      ]);
    });

    test.each(["", "a:b", "Vault", "vault.secrets", "-a"])("has no name like %j", (name) => {
      const want = 'want a name in lower-case letters, digits and "-", such as "vault"';
      expect(problemsOf(kms({ name }))).toEqual(problem("name", `got ${JSON.stringify(name)}, ${want}`));
    });

    test.each([
      "/run/kms/vault.sock",
      "unix://run/kms/vault.sock",
      "unix:/run/kms/vault.sock",
      "unix:///",
      "unix:///run/../vault.sock",
      "unix:///run/@vault",
      "unix:///run/kms/vault.sock?a=b",
      "tcp://127.0.0.1:8080",
    ])("does not listen at %j", (endpoint) => {
      const want = 'want the absolute path of a socket such as "unix:///run/kms/vault.sock"';
      expect(problemsOf(kms({ endpoint }))).toEqual(problem("endpoint", `got "${endpoint}", ${want}`));
    });

    test("does not listen at a path that no socket can have", () => {
      const longest = `unix:///${"a".repeat(106)}`;
      expect(problemsOf(kms({ endpoint: longest }))).toEqual([]);
      const why = "got a path of 108 characters, want at most 107: a socket's address has no room for more";
      expect(problemsOf(kms({ endpoint: `${longest}a` }))).toEqual(problem("endpoint", why));
    });

    test.each(["0s", "3", "-1s", "1.5s"])("is not waited for as long as %j", (timeout) => {
      const want = 'want a length of time such as "30s", "10m" or "720h"';
      expect(problemsOf(kms({ timeout }))).toEqual(problem("timeout", `got "${timeout}", ${want}`));
    });

    test("is declared of no other provider", () => {
      const others = withEncryption({ provider: "secretbox", name: "vault", endpoint, timeout: "3s" });
      const why = 'with provider "secretbox", want this left out: it is of provider "kms"';
      expect(problemsOf(others)).toEqual([
        `controlPlane.encryption.name: got "vault" ${why}`,
        `controlPlane.encryption.endpoint: got "${endpoint}" ${why}`,
        `controlPlane.encryption.timeout: got "3s" ${why}`,
      ]);
    });

    test("listens on hosts where an API server sees its socket", () => {
      const hosts = [{ name: "host1", address: "10.0.0.11" }];
      const onHosts = (path: string) => ({
        ...kms({ endpoint: `unix://${path}` }),
        etcd: { kind: "managed", members: 1 },
        placement: { kind: "hosts", hosts },
      });
      expect(problemsOf(onHosts("/run/kms/vault.sock"))).toEqual([]);
      expect(problemsOf(onHosts("/tmpfs/vault.sock"))).toEqual([]);
      for (const path of ["/tmp/vault.sock", "/var/tmp/a/vault.sock", "/home/kms/vault.sock", "/run/user/0/vault.sock"])
        expect(problemsOf(onHosts(path))).toEqual(
          problem(
            "endpoint",
            `got "unix://${path}", want one that is not below /home, /root, /run/user, /tmp, /var/tmp with placement.kind "hosts": kube-apiserver sees nothing of it there`,
          ),
        );
    });

    test("is not to be had in a host cluster", () => {
      const placement = {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: "not looked at" },
        exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
      };
      expect(problemsOf({ ...kms(), placement })).toEqual(
        expect.arrayContaining(
          problem(
            "provider",
            'got "kms", want "secretbox" with placement.kind "kubernetes": pods of an API server see no socket of their node, since their namespace allows no host paths',
          ),
        ),
      );
    });
  });

  test("is configured in one place", () => {
    const apiserver = { extraArgs: { "encryption-provider-config": "/etc/encryption.yaml" } };
    expect(problemsOf(withEncryption({}, apiserver))).toEqual([]);
    expect(problemsOf(withEncryption({ provider: "secretbox" }, apiserver))).toEqual([
      "controlPlane.kube-apiserver.extraArgs.encryption-provider-config: want this left out: controlPlane.encryption sets it",
    ]);
  });
});
