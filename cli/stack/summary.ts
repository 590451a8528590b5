import { quote } from "../../lib/hosts/quote.ts";
import { seenTable } from "./member-table.ts";
import type { Seen } from "./members-now.ts";
import { styleFor } from "./styles.ts";
import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import type { Workspace } from "./workspace.ts";

/** What an `up` did. */
export interface Ended {
  readonly stack: string;
  /** Operations of the update by kind. */
  readonly changes: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export interface Outcome extends Ended {
  readonly karmada: string;
  /** URL of the API. */
  readonly endpoint: string;
  readonly seen: Seen;
  readonly workspace: Workspace;
  /** The context in the kubeconfig for a simulated member; undefined if there is none. */
  readonly context?: string | undefined;
  /** Whether the sample Deployment runs. */
  readonly sample: boolean;
}

/** The closing message of `npm start`: what there is, where, and what to try next. */
export function summary(outcome: Outcome, now: Date, screen: NodeJS.WritableStream = process.stdout): string {
  const { stack, karmada, endpoint, seen, workspace } = outcome;
  const strong = styleFor(screen)("bold");
  return [
    "",
    `${strong(`Karmada ${karmada}, stack ${stack}`)}: ${changesText(outcome.changes)}, ${outcome.seconds.toFixed(1)} s`,
    "",
    `  API server  ${endpoint}`,
    `  kubeconfig  ${workspace.kubeconfig}`,
    "",
    ...seenTable(seen, now, screen)
      .split("\n")
      .map((line) => (line === "" ? line : `  ${line}`)),
    strong("Try next"),
    ...nextSteps(outcome).map(stepLine),
    "",
  ].join("\n");
}

/** The closing message for a stack without a control plane: its outputs say what it has. */
export function plainSummary(
  { stack, changes, seconds }: Ended,
  screen: NodeJS.WritableStream = process.stdout,
): string {
  const strong = styleFor(screen)("bold");
  return [
    "",
    `${strong(`Stack ${stack}`)}: ${changesText(changes)}, ${seconds.toFixed(1)} s`,
    "",
    strong("Try next"),
    ...laterSteps(stack).map(stepLine),
    "",
  ].join("\n");
}

/** For instance `3 created, 90 unchanged`; says so when there was nothing to do. */
export function changesText(changes: Readonly<Record<string, number>>): string {
  const did = Object.entries(changes).filter(([operation, count]) => operation !== "same" && count > 0);
  if (did.length === 0) return "nothing had to be changed";
  return did.map(([operation, count]) => `${count} ${past[operation] ?? operation}`).join(", ");
}

const past: Readonly<Record<string, string>> = {
  create: "created",
  import: "imported",
  update: "updated",
  delete: "deleted",
  replace: "replaced",
  "create-replacement": "created anew",
  "delete-replaced": "deleted after being replaced",
};

const stepLine = ([command, what]: [string, string]): string => `  ${command.padEnd(58)} # ${what}`;

function nextSteps({ stack, workspace, sample, context }: Outcome): [string, string][] {
  return [
    [`export KUBECONFIG=${word(workspace.kubeconfig)}`, "talk to Karmada"],
    [`export PATH=${word(workspace.bin)}:$PATH`, "with clients that fit"],
    ["kubectl get clusters", "the members"],
    ...(sample ? sampleSteps : []),
    ...(context === undefined ? [] : [memberStep(context)]),
    ...laterSteps(stack),
  ];
}

function laterSteps(stack: string): [string, string][] {
  return [
    [`npm run pulumi -- preview --diff --stack ${stack}`, `after an edit of ${stackFileName(stack)}`],
    [`npm run pulumi -- stack output --json --stack ${stack}`, "the whole inventory"],
    [`npm run destroy${stack === "dev" ? "" : ` -- --stack ${stack}`}`, "take everything away"],
  ];
}

/** A path as it can be copied into a shell. */
const word = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : quote(path));

const memberStep = (context: string): [string, string] => [
  `kubectl --context ${context} get pods -A`,
  "in a member itself",
];

const sampleSteps: [string, string][] = [
  ["karmadactl get deployments --operation-scope=all", "the sample, here and in the members"],
  ["kubectl scale deployment sample --replicas=6", "and look again"],
];
