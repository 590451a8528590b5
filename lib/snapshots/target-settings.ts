import type { Resolved } from "../../spec/field.ts";
import type { TypedTarget } from "../../spec/snapshots/targets.ts";

/** A target as it is opened: its secrets are plain text here. */
export type TargetSettings = Resolved<TypedTarget, string>;
export type S3Settings = Extract<TargetSettings, { kind: "s3" }>;
