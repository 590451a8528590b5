import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../../support/api-server.ts";
import type { ApiServer } from "../../support/api-server.ts";

/** A scheduler and a node of KWOK's, on which pods do what their label `plays` says (stages.yaml). */
export async function playPods({ programs, kubeconfig }: ApiServer): Promise<void> {
  const file = programs.write("admin.kubeconfig", kubeconfig);
  const [kwok, scheduler] = await freePorts(2);
  await programs.start("kwok", {
    kubeconfig: file,
    config: programs.write("stages.yaml", readFileSync(join(import.meta.dirname, "stages.yaml"), "utf8")),
    "manage-all-nodes": true,
    "server-address": `127.0.0.1:${kwok}`,
  });
  await programs.start("kube-scheduler", {
    kubeconfig: file,
    "bind-address": "127.0.0.1",
    "secure-port": scheduler!,
    "leader-elect": false,
  });
}
