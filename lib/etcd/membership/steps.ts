/**
 * One thing the reconciler does, small enough to look at the world again before the next. Each may be interrupted
 * anywhere: what comes next is decided from what is found then.
 */
export type Step =
  /** Starts members of a new cluster that do not run yet, and waits for all. */
  | { readonly kind: "bootstrap"; readonly members: readonly string[] }
  /** Starts members on the data they have, again if they run, and waits for them. */
  | { readonly kind: "start"; readonly members: readonly string[] }
  /** Waits for a running member, or for a majority. */
  | { readonly kind: "wait"; readonly member?: string }
  /** Adds a learner to the list. */
  | { readonly kind: "add"; readonly member: string }
  /** Starts a learner that is on the list. */
  | { readonly kind: "join"; readonly member: string }
  /** Waits until a learner has caught up and makes it a voter. */
  | { readonly kind: "promote"; readonly member: string }
  /** Removes a member from the list, stops it and moves its data aside. */
  | { readonly kind: "remove"; readonly member: string; readonly id: string; readonly why: string }
  /** Stops what still runs of a member that is no longer on the list, and moves its data aside. */
  | { readonly kind: "retire"; readonly member: string }
  /** Restarts a member as it is prepared now. */
  | { readonly kind: "restart"; readonly member: string }
  /** Tells the others a member's new peer URL and restarts it. */
  | { readonly kind: "readdress"; readonly member: string }
  /** Has etcd allow a lower minor version and waits until all data are stored in its format. */
  | { readonly kind: "allow-downgrade"; readonly minor: string }
  | { readonly kind: "cancel-downgrade" }
  /** Ends the CORRUPT alarm of a member that is gone: etcd keeps it, and refuses all writes. */
  | { readonly kind: "disarm"; readonly id: string; readonly alarm: string }
  /** Makes room in a full database so that it takes writes again. */
  | { readonly kind: "reclaim" }
  | { readonly kind: "defragment"; readonly member: string };
