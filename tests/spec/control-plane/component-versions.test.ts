import { newestKarmada } from "../../../spec/control-plane/component-versions.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const versionsIn = (config: object) => resolve(config, context).controlPlane;

test("each program is of the version of its publisher, unless it has one of its own", () => {
  const controlPlane = { "karmada-scheduler": { version: "1.17.1" }, "karmada-agent": { version: "1.17.1" } };
  const resolved = versionsIn({ controlPlane, versions: { kubernetes: "1.34.3" } });
  expect(resolved["karmada-scheduler"].version).toBe("1.17.1");
  expect(resolved["karmada-agent"].version).toBe("1.17.1");
  expect(resolved["karmada-webhook"].version).toBe("1.18.2");
  expect(resolved["karmada-scheduler-estimator"].version).toBe("1.18.2");
  expect(resolved["kube-apiserver"].version).toBe("1.34.3");
});

test("Karmada's definitions are of the newest program", () => {
  const ahead = resolve(
    { versions: { karmada: "1.17.1" }, controlPlane: { "karmada-search": { version: "1.18.2" } } },
    context,
  );
  expect(newestKarmada(ahead.controlPlane, ahead.versions)).toBe("1.18.2");
  const behind = resolve({ controlPlane: { "karmada-search": { version: "1.17.1" } } }, context);
  expect(newestKarmada(behind.controlPlane, behind.versions)).toBe("1.18.2");
});

test("flags and feature gates are those of the program's own version", () => {
  const gate = { featureGates: { SchedulingOvercommitProtection: true } };
  expect(problemsOf({ controlPlane: { "karmada-scheduler": { ...gate, version: "1.17.1" } } })).toEqual([
    "controlPlane.karmada-scheduler.featureGates.SchedulingOvercommitProtection: karmada-scheduler 1.17.1 has no feature gate of this name",
  ]);
  const ahead = { "karmada-scheduler": { ...gate, version: "1.18.2" } };
  expect(problemsOf({ controlPlane: ahead, versions: { karmada: "1.17.1" } })).toEqual([]);
});

test("kube-controller-manager is never newer than kube-apiserver", () => {
  const message =
    'controlPlane.kube-controller-manager.version: got "1.35.3", want that of kube-apiserver, 1.34.3, or at most one minor version before it';
  expect(problemsOf({ controlPlane: { "kube-apiserver": { version: "1.34.3" } } })).toEqual([message]);
  const ahead = { "kube-controller-manager": { version: "1.35.3" } };
  expect(problemsOf({ controlPlane: ahead, versions: { kubernetes: "1.34.3" } })).toEqual([message]);
  expect(problemsOf({ controlPlane: { "kube-controller-manager": { version: "1.34.3" } } })).toEqual([]);
});

test("a version that is not pinned is refused with those that are, of its publisher", () => {
  const controlPlane = { "kube-apiserver": { version: "1.18.2" }, "karmada-agent": { version: "1.16.0" } };
  expect(problemsOf({ controlPlane })).toEqual([
    'controlPlane.kube-apiserver.version: got "1.18.2", want "1.35.3", "1.35.8", "1.34.12" or "1.34.3"',
    'controlPlane.karmada-agent.version: got "1.16.0", want "1.18.2" or "1.17.1"',
  ]);
});
