import { stringify } from "yaml";

/** A kubeconfig that has all it needs and leads nowhere: for what only reads it. */
export const sampleKubeconfig = (host = "oslo.example.org"): string =>
  stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: `https://${host}:6443` } }],
    users: [{ name: "u", user: { token: "t0ken" } }],
  });
