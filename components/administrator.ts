import type { CertificateRequest } from "./process.ts";

/** The only identity of the control plane that may do everything. */
export const administrator: CertificateRequest = {
  name: "admin",
  authority: "karmada",
  commonName: "system:admin",
  organization: "system:masters",
  usages: ["client"],
};
