import { checkRegistration } from "../../../providers/cluster-registration/check.ts";

test("a proxy that an agent would not go by is told of without what its kubeconfig logs in there with", () => {
  const memberKubeconfig = JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://10.0.0.7", "proxy-url": "http://me:p4ss@10.0.0.1:3128" } }],
    users: [{ name: "u", user: { token: "t" } }],
  });
  const [problem, ...others] = checkRegistration({ syncMode: "Pull", proxy: "http://tunnel:8088", memberKubeconfig });
  expect(problem).toEqual({
    property: "proxy",
    reason:
      "got http://tunnel:8088, want http://***@10.0.0.1:3128: the kubeconfig has that as proxy-url, and its agent would go by it",
  });
  expect(others).toEqual([]);
});
