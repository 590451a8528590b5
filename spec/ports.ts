/** How many port numbers, from `basePort` on, belong to one local deployment. */
export const portsPerDeployment = 1000;

/** The last number that belongs to a deployment. */
export const lastPort = (basePort: number): number => basePort + portsPerDeployment - 1;
