import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../../spec/deployment.ts";
import type { ConfiguredDeployment } from "./configured.ts";

/** Seals the private keys. */
export function sealPki({ authorities, serviceAccountKey, ...plain }: Deployment["pki"]): ConfiguredDeployment["pki"] {
  return {
    ...plain,
    authorities: Object.fromEntries(
      Object.entries(authorities).map(([name, authority]) => [
        name,
        { ...authority, key: pulumi.secret(authority.key) },
      ]),
    ),
    ...(serviceAccountKey !== undefined && { serviceAccountKey: pulumi.secret(serviceAccountKey) }),
  };
}
