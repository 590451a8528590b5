import { connect } from "../../../lib/kube/client.ts";
import { uidOf } from "../../../lib/members/identity.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { startSlowProxy } from "../../support/slow-proxy.ts";

test("a server that says nothing holds up whoever asks for who it is no longer than it was given", async () => {
  const silent = await startSlowProxy(1, Infinity);
  const endpoint = { apiEndpoint: `https://127.0.0.1:${silent.port}`, caBundle: "", insecureSkipTLSVerification: true };
  const client = await connect(tokenKubeconfig("paris", endpoint, "any"));
  const started = performance.now();
  // A call has five seconds; the second ends with the six that are given to all.
  await expect(uidOf(client, "the member", deadlineIn(6))).rejects.toThrow(
    `waited 6s for the member: ${endpoint.apiEndpoint}: no answer in time`,
  );
  expect(performance.now() - started).toBeLessThan(6500);
  client.close();
  silent.close();
}, 30_000);
