/**
 * One thing the reconciler does, small enough to look at the world again before the next. Each may be interrupted
 * anywhere: what follows is decided from what is there then.
 */
export type Step =
  /** Starts members of a new cluster that do not run yet, and waits for all. */
  | { readonly kind: "bootstrap"; readonly members: readonly string[] }
  /** Starts members that have ended, on the data they have, and waits for them. */
  | { readonly kind: "start"; readonly members: readonly string[] }
  /** Waits for a member that runs, or for a majority. */
  | { readonly kind: "wait"; readonly member?: string }
  /** Adds a learner to the list. */
  | { readonly kind: "add"; readonly member: string }
  /** Starts a learner that is on the list. */
  | { readonly kind: "join"; readonly member: string }
  /** Waits until a learner has caught up and makes it a voter. */
  | { readonly kind: "promote"; readonly member: string }
  /** Takes a member off the list, ends it and puts its data aside. */
  | { readonly kind: "remove"; readonly member: string; readonly id: string; readonly why: string }
  /** Ends what still runs of a member that is on the list no more and puts its data aside. */
  | { readonly kind: "retire"; readonly member: string }
  /** Restarts a member as it is prepared now. */
  | { readonly kind: "restart"; readonly member: string }
  /** Tells the others a member's new peer URL and restarts it. */
  | { readonly kind: "readdress"; readonly member: string }
  /** Has etcd allow a lower minor version and waits until all data are stored as that one knows them. */
  | { readonly kind: "allow-downgrade"; readonly minor: string }
  | { readonly kind: "cancel-downgrade" }
  /** Ends the alarm CORRUPT of a member that is gone: etcd keeps it, and refuses all writes. */
  | { readonly kind: "disarm"; readonly id: string; readonly alarm: string }
  /** Makes room in a full database and lets it take writes again. */
  | { readonly kind: "reclaim" }
  | { readonly kind: "defragment"; readonly member: string };
