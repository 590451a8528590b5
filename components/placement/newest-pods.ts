/**
 * What a Deployment is waited for by (`pulumi.com/waitFor`): so many pods, all of the newest revision, as for `kubectl rollout
 * status`. By itself the kubernetes plugin may take what is still told of the last revision for the end of the rollout, when the
 * first that it sees of the Deployment is from before the change, and always when old pods end before new ones are begun with
 * (https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/deployment.go#L374): an image that could not be
 * pulled was no error then.
 */
export function newestPods(count: number): string {
  const counts = ["updatedReplicas", "replicas", "availableReplicas"];
  return JSON.stringify(counts.map((each) => `jsonpath={.status.${each}}=${count}`));
}
