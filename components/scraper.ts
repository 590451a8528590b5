import type { CertificateRequest } from "./process.ts";

/**
 * Who collects metrics. Kubernetes has a role for its group at each API server, from the start: `get` of `/metrics` and of what says
 * whether a server is healthy (`monitoringRules` in plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go). Servers behind
 * the API server ask that one.
 */
export const scraper: CertificateRequest = {
  name: "monitoring",
  authority: "karmada",
  commonName: "system:karmada:monitoring",
  organization: "system:monitoring",
  usages: ["client"],
};
