import { dataPath } from "../../lib/etcd/kubernetes-member.ts";
import { type Process, type Ref, urlsOf } from "../process.ts";
import type { KubernetesNames } from "./kubernetes-names.ts";
import { filesPath, podAddress } from "./kubernetes-pod.ts";

/** What stands for a reference in the arguments and variables of a process in a pod. */
export function resolved(names: KubernetesNames, process: Process, ref: Ref): string {
  switch (ref.ref) {
    case "file":
      return `${filesPath}/${ref.file}`;
    case "data":
      return dataPath + (ref.path === undefined ? "" : `/${ref.path}`);
    case "bind":
    // The kubelet asks a pod from outside it.
    case "loopback":
      return "0.0.0.0";
    case "host":
      return ref.process === undefined ? `$(${podAddress})` : names.host(ref.process);
    case "front":
      return `${names.host(ref.process)}:${names.port(ref.process, ref.port)}`;
    case "urls":
      return urlsOf(names, ref);
    case "port":
      return String(names.port(ref.process ?? process.name, ref.port));
  }
}
