/**
 * Port numbers on hosts, by the name of a process without the number of its replica: a deployment has its hosts to
 * itself, so they are the well-known ones if there are any, and the same on every host.
 */
export const hostPorts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  etcd: { client: 2379, peer: 2380, metrics: 2381 },
  "etcd-backup": { http: 2382 },
  "etcd-proxy": { etcd: 2383, http: 2384, events: 2385, leases: 2386 },
  "etcd of events": { client: 2391, peer: 2392, metrics: 2393 },
  "etcd of leases": { client: 2394, peer: 2395, metrics: 2396 },
  "karmada-apiserver": { secure: 5443 },
  "karmada-aggregated-apiserver": { secure: 5444 },
  "karmada-search": { secure: 5445 },
  "karmada-metrics-adapter": { secure: 5446, metrics: 5456 },
  "karmada-webhook": { secure: 8443, metrics: 8444, health: 8445 },
  "kube-controller-manager": { secure: 10257 },
  "karmada-controller-manager": { health: 10357, metrics: 10358 },
  "karmada-scheduler": { health: 10351, metrics: 10352 },
  "karmada-descheduler": { health: 10361, metrics: 10362 },
  // The API server on its host reaches what is behind it at that program's own port plus 20.
  haproxy: {
    http: 8404,
    "karmada-aggregated-apiserver": 5464,
    "karmada-search": 5465,
    "karmada-metrics-adapter": 5466,
    "karmada-webhook": 8463,
  },
};

/** The program that has a port, `karmada-apiserver`. */
export const ownerOfHostPort = (number: number): string | undefined =>
  Object.keys(hostPorts).find((program) => Object.values(hostPorts[program]!).includes(number));
