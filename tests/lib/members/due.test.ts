import { dueRotation } from "../../../lib/members/due.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { startSlowProxy } from "../../support/slow-proxy.ts";

test("members that say nothing are waited for together, not one after another, and each of them once", async () => {
  const silent = await Promise.all([1, 2, 3].map(() => startSlowProxy(1, Infinity)));
  const started = performance.now();
  for (const { port } of silent) {
    const endpoint = { apiEndpoint: `https://127.0.0.1:${port}`, caBundle: "", insecureSkipTLSVerification: true };
    const memberKubeconfig = tokenKubeconfig("paris", endpoint, "any");
    for (const purpose of ["plane", "estimator"] as const) {
      const due = await dueRotation(
        { cluster: "paris", purpose, memberKubeconfig },
        { rotateEvery: "720h" },
        undefined,
      );
      expect(due).toEqual({});
    }
  }
  // Three seconds for the first, one for each of the others.
  expect(performance.now() - started).toBeLessThan(6000);
  silent.forEach((each) => each.close());
}, 30_000);
