/** Number of the user and group of every pod: `nonroot` of distroless images. */
export const podUser = 65532;
