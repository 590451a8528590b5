import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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
  // Three seconds for the first, one for each of the others; nine where each were waited for by itself.
  expect(performance.now() - started).toBeLessThan(8000);
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

test("where the first token is never revoked, as planes share the account, the one made for it is due in its turn", async () => {
  const start = Date.parse("2026-01-01T00:00:00Z");
  const day = (n: number) => new Date(start + n * 24 * 3_600_000);
  const made = (n: number) => day(n).toISOString().replace(".000", "");
  const tokens: object[] = [];
  /** A token of a day, made for one of another day that was over age, or for another reason. */
  const make = (at: number, due?: number) => {
    const annotations = {
      "kubernetes.io/service-account.name": "karmada-paris",
      "karmada-pulumi/generation": String(tokens.length),
      ...(due !== undefined && { "karmada-pulumi/made-for-due": made(due) }),
    };
    const name = tokens.length === 0 ? "karmada-paris" : `karmada-paris-${tokens.length}`;
    tokens.push({ metadata: { name, creationTimestamp: made(at), annotations } });
  };
  const member = createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ items: tokens }));
  });
  await new Promise<void>((resolve) => member.listen(0, "127.0.0.1", resolve));
  const { port } = member.address() as AddressInfo;
  const endpoint = { apiEndpoint: `http://127.0.0.1:${port}`, caBundle: "", insecureSkipTLSVerification: false };
  const account = { cluster: "paris", purpose: "plane", memberKubeconfig: tokenKubeconfig("paris", endpoint, "any") };
  const dueOn = async (n: number) =>
    (await dueRotation(account as never, { rotateEvery: "720h" }, undefined, day(n))).due;
  try {
    make(0);
    expect([await dueOn(29), await dueOn(31)]).toEqual([undefined, made(0)]);
    make(31, 0);
    expect([await dueOn(40), await dueOn(62)]).toEqual([made(0), made(31)]);
    make(62, 31);
    expect([await dueOn(70), await dueOn(93)]).toEqual([made(31), made(62)]);
    // The operator asked for another one in between.
    make(80, 31);
    expect([await dueOn(93), await dueOn(111)]).toEqual([made(31), made(80)]);
  } finally {
    member.close();
  }
});
