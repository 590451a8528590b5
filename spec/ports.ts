/** How many port numbers, from `basePort` on, belong to one local deployment. */
export const portsPerDeployment = 1000;
