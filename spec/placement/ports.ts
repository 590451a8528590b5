/** How many port numbers, from `basePort` on, belong to one local deployment. */
export const portsPerDeployment = 1000;

/** The last number that belongs to a deployment. */
export const lastPort = (basePort: number): number => basePort + portsPerDeployment - 1;

/** Numbers below this offset are written down, those from it on are given by names. */
export const firstHashed = 100;

/** How many numbers can be given by names. */
export const hashedPorts = portsPerDeployment - firstHashed;

/** Ports of programs that each serve one member. */
export const portsOfServing = {
  "karmada-agent": ["metrics", "health"],
  "karmada-scheduler-estimator": ["grpc", "metrics", "health"],
} as const;

/** How many ports the programs of a simulated cluster have: three of Kubernetes, and kwok. */
export const portsOfSimulated = 4;
