/** A cluster that joins a control plane, identified by its UID. */
export interface Reservation {
  /** URL of the control plane. */
  readonly plane: string;
  /** UID of the cluster's kube-system namespace. */
  readonly uid: string;
  /** The name it is to have. */
  readonly cluster: string;
}

/**
 * Members join concurrently, and none may be on the plane yet when another looks for it there. Whoever first writes
 * into a cluster has it, and another name for it is refused. One that joined while another was looking counts too: it
 * is remembered for as long as this process runs, or until it leaves.
 * @param remains whether a failure leaves something that counts as joined
 */
export async function reserved<T>(
  { cluster, ...which }: Reservation,
  run: () => Promise<T>,
  remains: (error: unknown) => boolean = () => false,
): Promise<T> {
  const key = keyOf(which);
  const other = joining.get(key);
  if (other !== undefined && other !== cluster) {
    throw new Error(`the same cluster is joining as ${other} at this moment; a cluster joins once`);
  }
  joining.set(key, cluster);
  try {
    return await run();
  } catch (error) {
    if (other === undefined && !remains(error)) joining.delete(key);
    throw error;
  }
}

/** It may join under another name now. */
export const release = (which: Omit<Reservation, "cluster">): void => void joining.delete(keyOf(which));

const keyOf = ({ plane, uid }: Omit<Reservation, "cluster">): string => `${plane} ${uid}`;

/** Names of members by the plane and their UID. */
const joining = new Map<string, string>();
