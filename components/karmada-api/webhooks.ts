import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { base64 } from "../../lib/base64.ts";
import { mutatingRules, validatingRules, type WebhookRule } from "./webhook-rules.ts";

/** A server that is called by URL, and who signed its certificate (PEM). */
export interface Endpoint {
  /** For instance `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly authority: pulumi.Output<string>;
}

/** Sends Karmada's objects through karmada-webhook. While it is down they can be read but not written. */
export function createWebhooks(
  name: string,
  webhook: Endpoint,
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const caBundle = webhook.authority.apply(base64);
  const entries = (rules: readonly WebhookRule[]) => rules.map((rule) => entry(rule, webhook.url, caBundle));
  const metadata = (configuration: string) => ({ name: configuration, labels: { app: "karmada-webhook" } });
  return [
    new k8s.admissionregistration.v1.MutatingWebhookConfiguration(
      `${name}-mutating`,
      { metadata: metadata("mutating-config"), webhooks: entries(mutatingRules) },
      opts,
    ),
    new k8s.admissionregistration.v1.ValidatingWebhookConfiguration(
      `${name}-validating`,
      { metadata: metadata("validating-config"), webhooks: entries(validatingRules) },
      opts,
    ),
  ];
}

function entry(rule: WebhookRule, url: string, caBundle: pulumi.Output<string>) {
  return {
    name: rule.name,
    rules: [
      {
        apiGroups: [rule.group],
        apiVersions: ["*"],
        resources: [rule.resource],
        scope: rule.scope,
        operations: [...rule.operations],
      },
    ],
    clientConfig: { url: `${url}${rule.path}`, caBundle },
    failurePolicy: "Fail",
    sideEffects: rule.sideEffects ?? "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: rule.timeoutSeconds ?? 3,
    ...(rule.label === undefined
      ? {}
      : { objectSelector: { matchExpressions: [{ key: rule.label, operator: "Exists" }] } }),
  };
}
