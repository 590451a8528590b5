/** Answers of a plugin, decoded. */
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type { CheckFailure, PropertyDiff } from "../../../toolchain/plugins/server/provider.ts";
import { decode } from "../../../toolchain/plugins/server/wire.ts";
import type { DiffAnswer } from "./plugin.ts";

export function checked(response: pb.CheckResponse) {
  return { inputs: decode(response.getInputs()), failures: failures(response.getFailuresList()) };
}

export function failures(list: pb.CheckFailure[]): CheckFailure[] {
  return list.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

export function diffed(response: pb.DiffResponse): DiffAnswer {
  const detailed: Record<string, PropertyDiff> = {};
  response.getDetaileddiffMap().forEach((diff: pb.PropertyDiff, path: string) => {
    detailed[path] = { kind: kinds[diff.getKind()], inputDiff: diff.getInputdiff() };
  });
  return {
    changes: changes[response.getChanges()],
    replaces: response.getReplacesList().toSorted(),
    diffs: response.getDiffsList().toSorted(),
    stables: response.getStablesList().toSorted(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
    detailed: response.getHasdetaileddiff() || response.getDetaileddiffMap().getLength() > 0 ? detailed : undefined,
  };
}
/** In the order of DiffResponse.DiffChanges and PropertyDiff.Kind. */
const changes = ["unknown", "none", "some"] as const;
const kinds = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"] as const;
