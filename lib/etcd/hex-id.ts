/** The ID of a cluster or a member as etcd's own tools write it, from the decimal that its gateway gives. @default 0 */
export const hexId = (decimal = "0"): string => BigInt(decimal).toString(16);
