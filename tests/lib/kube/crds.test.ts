import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameOf, renderCrds } from "../../../lib/kube/crds.ts";
import { programPath } from "../../support/programs.ts";

const webhook = { url: "https://10.0.0.7:8443/convert", caBundle: "PEM" };

test("Karmada's 19 definitions, the two bindings converted by the webhook", async () => {
  const crds = await renderCrds(await programPath("karmada-crds"), webhook);
  expect(crds).toHaveLength(19);
  expect(crds.map(nameOf)).toEqual(crds.map(nameOf).sort());
  const converted = crds.filter((crd) => crd.spec.conversion?.strategy === "Webhook");
  expect(converted.map(nameOf)).toEqual([
    "clusterresourcebindings.work.karmada.io",
    "resourcebindings.work.karmada.io",
  ]);
  for (const crd of converted) {
    expect(crd.spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: { url: webhook.url, caBundle: Buffer.from("PEM").toString("base64") },
        conversionReviewVersions: ["v1"],
      },
    });
  }
});

test("a directory without definitions is named", async () => {
  const directory = mkdtempSync(join(tmpdir(), "crds-"));
  await expect(renderCrds(directory, webhook)).rejects.toThrow(`${directory}: has no custom resource definitions`);
  rmdirSync(directory);
});
