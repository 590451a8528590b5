import etcd3535 from "../versions/etcd-3.5.35.json" with { type: "json" };
import etcd3616 from "../versions/etcd-3.6.16.json" with { type: "json" };
import etcd366 from "../versions/etcd-3.6.6.json" with { type: "json" };
import etcd368 from "../versions/etcd-3.6.8.json" with { type: "json" };
import karmada1171 from "../versions/karmada-1.17.1.json" with { type: "json" };
import karmada1182 from "../versions/karmada-1.18.2.json" with { type: "json" };
import kubernetes13412 from "../versions/kubernetes-1.34.12.json" with { type: "json" };
import kubernetes1343 from "../versions/kubernetes-1.34.3.json" with { type: "json" };
import kubernetes1353 from "../versions/kubernetes-1.35.3.json" with { type: "json" };
import kubernetes1358 from "../versions/kubernetes-1.35.8.json" with { type: "json" };
import { memberProgramNames } from "./component-names.ts";

/** The programs whose flags the stack file can set, by who publishes them. */
export const programsByPublisher = {
  karmada: [
    "karmada-aggregated-apiserver",
    "karmada-controller-manager",
    "karmada-scheduler",
    "karmada-webhook",
    "karmada-descheduler",
    "karmada-search",
    "karmada-metrics-adapter",
    ...memberProgramNames,
  ],
  kubernetes: ["kube-apiserver", "kube-controller-manager"],
  etcd: ["etcd"],
} as const;

export type ProgramName = (typeof programsByPublisher)[keyof typeof programsByPublisher][number];

/** What a program of one version accepts. */
export interface ProgramFlags {
  readonly flags: ReadonlySet<string>;
  readonly featureGates: ReadonlySet<string>;
}

/** As read from the programs' own `--help` by `npm run flags`. */
const read: Readonly<Record<string, Readonly<Record<string, Compact>>>> = {
  "etcd 3.5.35": etcd3535,
  "etcd 3.6.6": etcd366,
  "etcd 3.6.8": etcd368,
  "etcd 3.6.16": etcd3616,
  "karmada 1.17.1": karmada1171,
  "karmada 1.18.2": karmada1182,
  "kubernetes 1.34.3": kubernetes1343,
  "kubernetes 1.34.12": kubernetes13412,
  "kubernetes 1.35.3": kubernetes1353,
  "kubernetes 1.35.8": kubernetes1358,
};

/** Lists of words separated by blanks. */
interface Compact {
  readonly flags: string;
  readonly gatesOn: string;
  readonly gatesOff: string;
}

/** Who publishes a program, and numbers it. */
export const publisherOf = (program: ProgramName): keyof typeof programsByPublisher =>
  (Object.keys(programsByPublisher) as (keyof typeof programsByPublisher)[]).find((name) =>
    (programsByPublisher[name] as readonly string[]).includes(program),
  )!;

/** What a program of one version accepts. */
export function flagsOf(program: ProgramName, version: string): ProgramFlags {
  const { flags, gatesOn, gatesOff } = read[`${publisherOf(program)} ${version}`]![program]!;
  const words = (text: string) => text.split(" ").filter((word) => word !== "");
  return { flags: new Set(words(flags)), featureGates: new Set([...words(gatesOn), ...words(gatesOff)]) };
}
