/**
 * What a Deployment that ends its old pods first is waited for by (`pulumi.com/waitFor`): so many pods of the newest revision.
 * By itself the kubernetes plugin takes what is still told of the last revision, while the old pods have ended and the new
 * ones are not begun with, for the end of the rollout
 * (https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/deployment.go#L374).
 */
export function newestPods(count: number): string {
  return JSON.stringify(["updatedReplicas", "availableReplicas"].map((each) => `jsonpath={.status.${each}}=${count}`));
}
