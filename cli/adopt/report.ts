import type { ForeignMember } from "../../lib/adoption/members.ts";
import type { ForeignPlane } from "../../lib/adoption/plane.ts";
import type { SnapshotFile } from "../../lib/adoption/snapshot.ts";
import { estimator, type Workload } from "../../lib/adoption/workloads.ts";
import { quote } from "../../lib/hosts/quote.ts";
import { readableSize } from "../../lib/size.ts";
import { imageVersion } from "../../spec/placement/image-version.ts";
import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import type { AdoptedStack } from "./stack-config.ts";

/** Everything for the final report. */
export interface Outcome {
  readonly plane: ForeignPlane;
  readonly members: readonly ForeignMember[];
  readonly adopted: AdoptedStack;
  readonly taken: SnapshotFile;
  readonly stack: string;
  readonly snapshot: string;
  /** Arguments that select the same plane again. */
  readonly again: readonly string[];
}

/** What was found, what changes, and what to do next. */
export function report({ plane, members, adopted, taken, stack, snapshot, again }: Outcome): string {
  const told = again.map(inShell).join(" ");
  return [
    `a Karmada that ${plane.maker} built in namespace ${plane.namespace}`,
    ...programLines(plane.workloads),
    ...members.map(({ name, syncMode }) => `  member ${name}: ${syncMode}`),
    `  ${snapshotLine(taken, snapshot)}`,
    ...(adopted.notes.length > 0 ? ["", "otherwise than before:", ...adopted.notes.map((note) => `  ${note}`)] : []),
    "",
    `written: ${stackFileName(stack)}, with its authorities and the key of its tokens. Look through it, then:`,
    `  npm run pulumi -- preview --stack ${stack}`,
    `  npm run adopt -- ${told} --fence`,
    `  npm run pulumi -- up --stack ${stack}`,
    `the way back, once the new plane has been ended as docs/recovery.md says (B), never by destroy:`,
    `  npm run adopt -- ${told} --unfence`,
  ].join("\n");
}

/** One line for each program of a plane. */
export function programLines(workloads: readonly Workload[]): string[] {
  const shown = workloads.filter(({ program }) => program !== estimator);
  const width = Math.max(32, ...shown.map(({ name }) => name.length));
  return shown.map(
    ({ name, image, replicas }) => `  ${name.padEnd(width)} ${imageVersion(image) ?? image}, ${replicas} of it`,
  );
}

/** A word as typed in a shell. */
const inShell = (word: string): string => (/^[-\w./:@]+$/.test(word) ? word : quote(word));

/** One line of what was taken. */
export const snapshotLine = ({ sizeBytes, revision, totalKeys }: SnapshotFile, file: string): string =>
  `snapshot: ${totalKeys} keys at revision ${revision}, ${readableSize(sizeBytes)}: ${file}`;
