/** The stand-in of the tls plugin, for the resource types the program uses. */
import { bridged } from "../bridge/resource-type.ts";
import { packageVersion, serve } from "../server/index.ts";
import { certRequest } from "./cert-request.ts";
import { locallySignedCert } from "./locally-signed-cert.ts";
import { privateKey } from "./private-key.ts";
import { selfSignedCert } from "./self-signed-cert.ts";

await serve({
  name: "tls",
  version: packageVersion("@pulumi/tls"),
  acceptSecrets: false,
  autonaming: true,
  resources: {
    "tls:index/certRequest:CertRequest": bridged(certRequest),
    "tls:index/locallySignedCert:LocallySignedCert": bridged(locallySignedCert),
    "tls:index/privateKey:PrivateKey": bridged(privateKey),
    "tls:index/selfSignedCert:SelfSignedCert": bridged(selfSignedCert),
  },
});
