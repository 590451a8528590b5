import type { CertificateRequest } from "./process.ts";

/**
 * Who collects metrics. Every API server has a built-in role for its group: `get` of `/metrics` and of health endpoints
 * (`monitoringRules` in plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go). Servers behind the API server ask
 * that one.
 */
export const scraper: CertificateRequest = {
  name: "monitoring",
  authority: "karmada",
  commonName: "system:karmada:monitoring",
  organization: "system:monitoring",
  usages: ["client"],
};
