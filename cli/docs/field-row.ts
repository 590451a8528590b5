/** One field of the stack file. */
export interface FieldRow {
  /** `members[].name`; `<component>` stands for each component of the control plane, `.*` for all fields below. */
  readonly path: string;
  readonly values: string;
  readonly default: string;
  readonly meaning: string;
}
