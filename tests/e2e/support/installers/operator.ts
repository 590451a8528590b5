import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { storageClass } from "../../../support/kubernetes-lab/objects.ts";
import { programPath } from "../../../support/programs.ts";
import { established, eventually } from "../kubectl.ts";
import { crdsArchive } from "./crds-archive.ts";
import type { Installer, Site } from "./installer.ts";

const [name, namespace] = ["demo", "fleet"] as const;

/** karmada-operator as a pod with the rights it comes with, and a Karmada it makes out of an object. */
export const operator: Installer = {
  maker: "karmada-operator",
  namespace,
  scheduler: `${name}-karmada-scheduler`,
  images: [
    "registry.k8s.io/etcd:3.6.6-0",
    "docker.io/karmada/karmada-operator:v1.18.2",
    "docker.io/karmada/karmada-metrics-adapter:v1.18.2",
  ],
  packages: [],
  async install({ kubectl, lab, directory }) {
    const config = await programPath("karmada-operator-config");
    for (const each of ["karmada-system", namespace]) await kubectl(["create", "namespace", each]);
    await kubectl(["apply", "--server-side", "-f", join(config, "crds")]);
    await established(kubectl, "-f", join(config, "crds"));
    for (const file of await readdir(join(config, "deploy"))) {
      const text = await readFile(join(config, "deploy", file), "utf8");
      await kubectl(["apply", "-f", "-"], text.replace("karmada-operator:latest", "karmada-operator:v1.18.2"));
    }
    const crds = await served(await crdsArchive(directory), lab.network.machine);
    try {
      await kubectl(["apply", "-f", "-"], JSON.stringify(karmadaOf(crds.url)));
      await eventually(
        () => kubectl.get("karmada", name, "-n", namespace),
        ({ status }) => status?.conditions?.some((each: Condition) => each.type === "Ready" && each.status === "True"),
        300,
      );
    } finally {
      crds.stop();
    }
    const { data } = await kubectl.get("secret", `${name}-karmada-admin-config`, "-n", namespace);
    return Buffer.from(data["karmada.config"] as string, "base64").toString();
  },
  async letGo({ kubectl }: Site) {
    await kubectl(["scale", "deployment", "karmada-operator", "-n", "karmada-system", "--replicas=0"]);
    await kubectl(["wait", "--for=delete", "pod", "-n", "karmada-system", "--all", "--timeout=60s"]);
  },
};

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** What its samples say, with versions of this project. */
const karmadaOf = (crds: string) => ({
  apiVersion: "operator.karmada.io/v1alpha1",
  kind: "Karmada",
  metadata: { name, namespace },
  spec: {
    crdTarball: { httpSource: { url: crds } },
    components: {
      etcd: {
        local: {
          volumeData: {
            volumeClaim: {
              metadata: { name: "etcd-data" },
              spec: {
                accessModes: ["ReadWriteOnce"],
                storageClassName: storageClass,
                resources: { requests: { storage: "1Gi" } },
              },
            },
          },
        },
      },
      karmadaAPIServer: { imageTag: "v1.35.3", serviceType: "NodePort" },
      kubeControllerManager: { imageTag: "v1.35.3" },
    },
  },
});

/** Serves one file to pods. */
async function served(file: string, address: string): Promise<{ url: string; stop: () => void }> {
  const content = await readFile(file);
  const server = createServer((_, response) => response.end(content));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}/crds.tar.gz`, stop: () => server.close() };
}
