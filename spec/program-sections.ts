import { adoptedSections } from "./adopted-program.ts";
import { sections } from "./deployment.ts";
import { etcdSections } from "./etcd-program.ts";
import { membersSections } from "./members-program.ts";
import type { Program } from "./program.ts";
import { restoreSections } from "./restore-program.ts";
import type { SectionSchemas } from "./sections.ts";
import { snapshotSections } from "./snapshot-program.ts";

/** The keys of a stack file, without the project's name, by what the stack is. */
export const sectionsOf: Readonly<Record<Program, SectionSchemas>> = {
  karmada: sections,
  members: membersSections,
  etcd: etcdSections,
  snapshots: snapshotSections,
  restore: restoreSections,
  adopted: adoptedSections,
};
