import { z } from "zod";
import { text } from "../field.ts";

/** Built in, and of use to clients: `get` of `/metrics` and of health endpoints. */
const allowedGroup = "system:monitoring";

const client = z.strictObject({
  name: text(
    /^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$/,
    'a name such as "argocd": at most 48 lower-case letters, digits and "-", not first or last',
  ).describe("What its kubeconfig is called in the output `clientKubeconfigs`. Another name is another certificate."),
  user: text(
    /^(?!system:)[^\s"]{1,64}$/,
    'the name of a user, of at most 64 characters without spaces: not "system:...", which Kubernetes and Karmada keep for themselves',
  )
    .optional()
    .describe("The user as which it comes, for RBAC objects to name. Default: `name`."),
  group: text(
    new RegExp(`^(?!system:(?!monitoring$))[^\\s"]{1,64}$`),
    `the name of a group, of at most 64 characters without spaces: not "system:...", which Kubernetes and Karmada keep for themselves, but for "${allowedGroup}"`,
  )
    .optional()
    .describe(`The group to which the user belongs; \`${allowedGroup}\` may read metrics and health. Default: none.`),
});

/** Whoever is to have a kubeconfig of the Karmada API of their own. */
export const clients = z
  .array(client)
  .superRefine((all, issue) => {
    all.forEach(({ name }, i) => {
      if (all.findIndex((other) => other.name === name) === i) return;
      const message = `got "${name}", want each name once`;
      issue.addIssue({ code: "custom", path: [i, "name"], message });
    });
  })
  .default([])
  .describe(
    "Clients of the Karmada API, such as Argo CD, a pipeline or a dashboard: each has a certificate of its own, in a kubeconfig of the output `clientKubeconfigs`. They may do what RBAC objects of yours allow. A certificate that has left the list is valid until it ends.",
  );

/** One of them. */
export type Client = z.output<typeof client>;
