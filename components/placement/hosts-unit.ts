import type { HostsPlacement } from "../../spec/deployment.ts";
import { bytes, coresOf, seconds, type Size } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { keepalivedComponent } from "../processes/keepalived.ts";
import type { Run } from "./hosts-programs.ts";

type EtcdIo = HostsPlacement<unknown>["etcdIo"];

/** The unit of a process apart from what it runs: its limits, when it serves, how long it may take to stop. */
export function unitOf(process: Process, etcdIo: EtcdIo, ofProgram: Run["settings"]) {
  const { component, limits, writes } = process;
  const settings = { ...ofProgram, ...(component === "etcd" && ioSettings(etcdIo)), ...process.unitSettings };
  return {
    stopSeconds: seconds(process.stopDeadline),
    ...(limits?.memory !== undefined && { memoryBytes: bytes(limits.memory as Size) }),
    ...(limits?.cpu !== undefined && { cores: coresOf(limits.cpu) }),
    ...(Object.keys(settings).length > 0 && { unitSettings: settings }),
    ...(writes !== undefined && { writes: [...writes] }),
    notifies: notifying.has(component),
  };
}

/** Programs that notify systemd when they serve. */
const notifying = new Set(["etcd", "kube-apiserver", keepalivedComponent]);

/** systemd.exec(5). */
const ioSettings = ({ class: name, priority }: EtcdIo) => ({
  IOSchedulingClass: [name],
  IOSchedulingPriority: [String(priority)],
});
