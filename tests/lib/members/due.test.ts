import { jest } from "@jest/globals";
import { dueRotation } from "../../../lib/members/due.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { startApiServer } from "../../support/api-server.ts";
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

test("a member that lets nobody look has nothing due, which is said once", async () => {
  const server = await startApiServer();
  const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
  try {
    const endpoint = { apiEndpoint: server.url, caBundle: "", insecureSkipTLSVerification: true };
    const memberKubeconfig = tokenKubeconfig("oslo", endpoint, "that was revoked");
    for (let i = 0; i < 2; i++) {
      const account = { cluster: "oslo", purpose: "plane", memberKubeconfig } as const;
      expect(await dueRotation(account, { rotateEvery: "720h" }, undefined)).toEqual({});
    }
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^.*oslo.*: how old its token is cannot be told, so none is due: .*401/),
    ]);
  } finally {
    warn.mockRestore();
    await server.stop();
  }
}, 120_000);
