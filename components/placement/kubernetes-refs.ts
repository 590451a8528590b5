import { dataPath } from "../../lib/etcd/kubernetes-member.ts";
import { filled, type Process, type Ref, type Text, urlsOf } from "../process.ts";
import type { KubernetesNames } from "./kubernetes-names.ts";
import { filesPath, podAddress } from "./kubernetes-pod.ts";

/**
 * The arguments of a process in a pod. Kubernetes expands `$(NAME)` and `$$` in them: escaped, what an operator wrote
 * arrives unchanged.
 */
export const argumentsOf = (names: KubernetesNames, process: Process): string[] =>
  process.args.map((arg) => filled(literal(arg), (ref) => resolved(names, process, ref)));

function literal(text: Text): Text {
  const escaped = (piece: string) => piece.replaceAll("$", "$$$$");
  return typeof text === "string"
    ? escaped(text)
    : text.map((piece) => (typeof piece === "string" ? escaped(piece) : piece));
}

/** Resolves a reference in the arguments and variables of a process in a pod. */
export function resolved(names: KubernetesNames, process: Process, ref: Ref): string {
  switch (ref.ref) {
    case "file":
      return `${filesPath}/${ref.file}`;
    case "data":
      return dataPath + (ref.path === undefined ? "" : `/${ref.path}`);
    case "bind":
    // The kubelet probes a pod from outside.
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
