/** Answers of provider.ts as messages. */
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type { CheckFailure, CheckResult, Diff, PropertyDiff } from "./provider.ts";
import { encode } from "./wire.ts";

export function checkResponse({ inputs, failures = [] }: CheckResult): pb.CheckResponse {
  return new providerPb.CheckResponse().setInputs(encode(inputs)).setFailuresList(failures.map(failureMessage));
}

export function failureMessage({ property, reason }: CheckFailure): pb.CheckFailure {
  return new providerPb.CheckFailure().setProperty(property).setReason(reason);
}

export function diffResponse(diff: Diff): pb.DiffResponse {
  const { DIFF_UNKNOWN, DIFF_NONE, DIFF_SOME } = providerPb.DiffResponse.DiffChanges;
  const response = new providerPb.DiffResponse()
    .setChanges(diff.changes === undefined ? DIFF_UNKNOWN : diff.changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList([...(diff.replaces ?? [])])
    .setStablesList([...(diff.stables ?? [])])
    .setDiffsList([...(diff.diffs ?? [])])
    .setDeletebeforereplace(diff.deleteBeforeReplace ?? false);
  if (diff.detailed === undefined) return response;
  const detailed = response.setHasdetaileddiff(true).getDetaileddiffMap();
  for (const [path, { kind, inputDiff = false }] of Object.entries(diff.detailed)) {
    detailed.set(path, new providerPb.PropertyDiff().setKind(kinds[kind]).setInputdiff(inputDiff));
  }
  return response;
}

const { Kind } = providerPb.PropertyDiff;
const kinds: Readonly<Record<PropertyDiff["kind"], pb.PropertyDiff.Kind>> = {
  add: Kind.ADD,
  "add-replace": Kind.ADD_REPLACE,
  delete: Kind.DELETE,
  "delete-replace": Kind.DELETE_REPLACE,
  update: Kind.UPDATE,
  "update-replace": Kind.UPDATE_REPLACE,
};
