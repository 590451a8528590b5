import { scrapeConfigs } from "../../../lib/monitoring/scrape-configs.ts";
import { target } from "./support.ts";

test("there is a job for each kind of program, each target with its labels", () => {
  const text = scrapeConfigs("prod", [
    target("etcd", { process: "etcd-0", etcdCluster: "prod", address: "127.0.0.1:26032" }),
    target("etcd", { process: "etcd-1", etcdCluster: "prod", address: "127.0.0.1:26035" }),
    target("kube-apiserver", { process: "karmada-apiserver", scheme: "https", address: "127.0.0.1:26000" }),
    target("karmada-agent", { process: "m1-karmada-agent", member: "m1" }),
  ]);
  expect(text).toBe(`scrape_configs:
  - job_name: prod/etcd
    static_configs:
      - targets:
          - 127.0.0.1:26032
        labels:
          deployment: prod
          component: etcd
          process: etcd-0
          etcd_cluster: prod
      - targets:
          - 127.0.0.1:26035
        labels:
          deployment: prod
          component: etcd
          process: etcd-1
          etcd_cluster: prod
  - job_name: prod/kube-apiserver
    scheme: https
    tls_config:
      ca_file: ca.crt
      cert_file: client.crt
      key_file: client.key
      min_version: TLS13
    static_configs:
      - targets:
          - 127.0.0.1:26000
        labels:
          deployment: prod
          component: kube-apiserver
          process: karmada-apiserver
  - job_name: prod/karmada-agent
    static_configs:
      - targets:
          - 127.0.0.1:8080
        labels:
          deployment: prod
          component: karmada-agent
          process: m1-karmada-agent
          member: m1
`);
});

test("a target on a host is known by the host's name, as loopback addresses are the same on all", () => {
  expect(scrapeConfigs("prod", [target("etcd", { host: "host1", address: "127.0.0.1:2381" })])).toContain(`
        labels:
          deployment: prod
          component: etcd
          process: etcd
          host: host1
          instance: host1:2381
`);
});
