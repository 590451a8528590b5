import type { ProgramStatus } from "../../lib/plane/status.ts";
import { certificatesDue, type DueCertificate } from "./certificates-due.ts";
import { type EtcdNow, etcdNow } from "./etcd-now.ts";
import { hasPlane, type openPlane, type Outputs, type Seen } from "./members-now.ts";
import { planeNow } from "./plane-now.ts";

/** A stack as it is now. */
export interface Status extends Seen {
  readonly etcd: readonly EtcdNow[];
  readonly plane: readonly ProgramStatus[];
  readonly certificates: readonly DueCertificate[];
}

/** Asks etcd, the control plane and members, all at once. Never throws. @param asked the control plane, if the stack has one */
export async function statusNow(
  outputs: Partial<Outputs>,
  asked: Awaited<ReturnType<typeof openPlane>> | undefined,
): Promise<Status> {
  const [etcd, plane, seen] = await Promise.all([
    etcdNow(outputs.etcdAccess),
    asked && hasPlane(outputs) ? planeNow(asked.plane, outputs) : [],
    asked?.look() ?? { members: [] },
  ]);
  return { etcd, plane, certificates: certificatesDue(outputs, new Date()), ...seen };
}
