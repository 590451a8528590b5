/**
 * The condition to wait for of a Deployment (`pulumi.com/waitFor`): that many pods, all of the newest revision, as for
 * `kubectl rollout status`. By default the kubernetes plugin may take the status of the last revision for the end of
 * the rollout, if the first it sees of the Deployment is from before the change, and always if old pods end before new
 * ones are created (https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/deployment.go#L374): an
 * image that could not be pulled was no error then.
 */
export function newestPods(count: number): string {
  const counts = ["updatedReplicas", "replicas", "availableReplicas"];
  return JSON.stringify(counts.map((each) => `jsonpath={.status.${each}}=${count}`));
}
