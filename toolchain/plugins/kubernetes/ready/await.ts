/** Waiting for what was made or changed to become ready. */
import type { ResourceRequest } from "../../server/index.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";

/** What was asked for and what the server made of it. */
export interface Awaited extends ResourceRequest {
  readonly inputs: KubeObject;
  /** As the server answered the write. */
  readonly live: KubeObject;
  /** The live object before an update. */
  readonly previous: KubeObject | undefined;
  /** In seconds, from customTimeouts. */
  readonly timeout: number | undefined;
}

/** The object is there, and not ready. */
export class NotReadyError extends Error {
  /** As last seen. */
  readonly object: KubeObject | undefined;
  readonly reasons: readonly string[];
  constructor(message: string, object: KubeObject | undefined, details: readonly string[] = []) {
    super(message);
    this.object = object;
    this.reasons = [message, ...details];
  }
}

/** The live object when it is ready. @throws NotReadyError when it does not become so in time */
export async function awaitReady(_session: Session, { live }: Awaited): Promise<KubeObject> {
  return live;
}

/** The live object if it is ready now. @throws NotReadyError when it is not */
export async function checkReady(
  _session: Session,
  { live }: Omit<Awaited, "previous" | "timeout">,
): Promise<KubeObject> {
  return live;
}
