import { parse } from "yaml";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";

const endpoint = { apiEndpoint: "https://10.0.0.7:6443", caBundle: "CA", insecureSkipTLSVerification: false };

// What Kubernetes' programs read is YAML 1.1.
test.each(["no", "on", "y", "1e3", "0b11", "paris"])("a member may be called %s", (name) => {
  const read = parse(tokenKubeconfig(name, endpoint, "token"), { schema: "yaml-1.1" }) as Record<string, unknown>;
  expect(read).toMatchObject({
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name }],
    users: [{ name }],
  });
});
