import * as pulumi from "@pulumi/pulumi";
import { componentNames } from "../../spec/control-plane/component-names.ts";
import type { Deployment } from "../../spec/deployment.ts";
import type { ConfiguredDeployment } from "./configured.ts";
import { sealTexts } from "./texts.ts";

/** Seals the contents of files and the keys by which secrets are encrypted. */
export function sealControlPlane(controlPlane: Deployment["controlPlane"]): ConfiguredDeployment["controlPlane"] {
  const sealed = componentNames.map((component) => {
    const settings = controlPlane[component];
    return [component, { ...settings, files: sealTexts(settings.files) }];
  });
  const keys = controlPlane.encryption.keys.map((key) => ({ ...key, secretText: pulumi.secret(key.secretText) }));
  const encryption = { ...controlPlane.encryption, keys };
  return { ...controlPlane, ...Object.fromEntries(sealed), encryption } as ConfiguredDeployment["controlPlane"];
}
