import { z } from "zod";
import { fieldNotes, text } from "../field.ts";

const value = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

/** Kubernetes' qualified name. */
export const labelKeyPattern =
  /^((?=[^/]{1,253}\/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** The key of a label or a taint. */
export const labelKey = text(labelKeyPattern, 'a label key such as "tier" or "example.org/tier"');

/** The key of an annotation, whose DNS name may have capitals. */
const annotationKey = text(
  /^((?=[^/]{1,253}\/)[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
  'the key of an annotation such as "example.org/kind"',
);

/** Annotations by key. */
export const annotationRecord = z.record(annotationKey, z.string().register(fieldNotes, { want: "text, in quotes" }));

/** The value of a label or a taint. */
export const labelValue = text(
  new RegExp(`^(${value})?$`),
  "a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes",
);

/** A provider, region or zone of a cluster: Karmada takes the value of a label (pkg/apis/cluster/validation/validation.go). */
export const labelled = (what: string, example: string) =>
  text(
    new RegExp(`^${value}$`),
    `the name of a ${what} such as "${example}": at most 63 letters, digits, '-', '_' and '.'`,
  );
