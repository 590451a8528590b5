import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import { storageClass } from "../../../support/kubernetes-lab/objects.ts";
import { writeChart } from "../../../support/charts.ts";
import { programPath } from "../../../support/programs.ts";
import { eventually, type Json } from "../kubectl.ts";
import type { Installer } from "./installer.ts";

const namespace = "karmada-system";
const version = "v1.18.2";
const nodePort = 32443;

/**
 * Karmada's Helm chart as it is, with certificates that its own job makes. What is otherwise than by default: etcd is in a volume of
 * the lab, and the API server is reached from outside.
 */
export const chart: Installer = {
  maker: "the Helm chart",
  namespace,
  scheduler: "karmada-scheduler",
  images: ["registry.k8s.io/etcd:3.6.6-0", "docker.io/bitnamisecure/kubectl:v1.35.3", "docker.io/cfssl/cfssl:v1.6.5"],
  packages: ["bash", "curl", "openssl"],
  async install(site) {
    const { kubectl, lab } = site;
    const values = join(site.directory, "values.yaml");
    await writeFile(values, stringify(valuesFor(lab.network.node)));
    const flags = ["--namespace", namespace, "--create-namespace", "--values", values, "--timeout", "4m"];
    await execa(
      await programPath("helm"),
      ["install", "karmada", await complete(site.directory), `--kubeconfig=${site.kubeconfig}`, ...flags],
      { env: homesIn(site.directory), timeout: 300_000 },
    );
    await eventually(
      () => kubectl.get<{ items: Json[] }>("deployments,jobs", "-n", namespace),
      ({ items }) => items.every(({ kind, status }) => kind === "Deployment" && status.readyReplicas > 0),
      240,
    );
    const { data } = await kubectl.get("secret", "karmada-kubeconfig", "-n", namespace);
    const inside = Buffer.from(data.kubeconfig as string, "base64").toString();
    return inside.replace(/https:\/\/karmada-apiserver\S+/, `https://${lab.network.node}:${nodePort}`);
  },
};

const valuesFor = (node: string) => ({
  kubectl: { image: { tag: "v1.35.3" } },
  cfssl: { image: { tag: "v1.6.5" } },
  apiServer: { image: { tag: "v1.35.3" }, serviceType: "NodePort", nodePort },
  kubeControllerManager: { image: { tag: "v1.35.3" } },
  etcd: { internal: { storageType: "pvc", pvc: { storageClass, size: "1Gi" } } },
  certs: {
    auto: {
      hosts: [
        "kubernetes.default.svc",
        "*.etcd.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}",
        "*.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}",
        "*.{{ .Release.Namespace }}.svc",
        "localhost",
        "127.0.0.1",
        node,
      ],
    },
  },
});

/** The chart with its version written into it, as upstream's hack/package-helm-chart.sh does, and with what it depends on. */
async function complete(directory: string): Promise<string> {
  const place = join(directory, "karmada");
  await cp(await programPath("karmada-chart"), place, { recursive: true });
  const values = join(place, "values.yaml");
  const text = await readFile(values, "utf8");
  await writeFile(values, text.replace("&karmadaImageVersion latest", `&karmadaImageVersion ${version}`));
  await writeChart(join(place, "charts"), "common", { "templates/_images.tpl": common }, "type: library\n");
  return place;
}

/** As much as it takes of https://github.com/bitnami/charts/tree/main/bitnami/common, which is fetched when it is packaged. */
const common = `
{{- define "common.images.image" -}}
{{- printf "%s/%s:%s" (default .imageRoot.registry .global.imageRegistry) .imageRoot.repository .imageRoot.tag -}}
{{- end -}}
{{- define "common.images.pullSecrets" -}}{{- end -}}
`;

/** Nothing of this user's helm is read or written. */
const homesIn = (directory: string) => ({
  HELM_CACHE_HOME: join(directory, "helm/cache"),
  HELM_CONFIG_HOME: join(directory, "helm/config"),
  HELM_DATA_HOME: join(directory, "helm/data"),
});
