/** What identifies an object for people. */
interface Named {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** An object in messages: `Deployment default/web`, or `ClusterRole viewer` where it is in no namespace. */
export const objectTitle = ({ kind, namespace, name }: Named): string =>
  namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
