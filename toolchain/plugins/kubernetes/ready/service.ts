import { at, isObject, nameOf, textAt } from "../object.ts";
import type { Field, KubeObject } from "../object.ts";
import { core, done, spoken } from "./rule.ts";
import type { Rule, Status } from "./rule.ts";

/** How long the endpoints must stay as they are. */
const SETTLED_MS = 10_000;

/**
 * Has an address, and endpoints none of which is unready. A Service that targets no pods by selector has no endpoints
 * to wait for, be it of type ExternalName, headless or without a selector.
 */
export const serviceRule: Rule = {
  ...spoken,
  onRead: true,
  related: [core("Endpoints")],
  judge({ object, related, quietMs, once }) {
    const finding: Status = ["info", "[1/3] Finding Pods to direct traffic to"];
    const serviceReady = hasAddress(object);
    const endpoints = related("Endpoints").find((each) => nameOf(each) === nameOf(object));
    const problems = problemsOf(object, hasAddresses(endpoints, "addresses"));
    if (!targetsPods(object)) return { ready: serviceReady, status: [finding], problems };
    const pending = hasAddresses(endpoints, "notReadyAddresses");
    const settled = once || (endpoints !== undefined && quietMs !== undefined && quietMs >= SETTLED_MS);
    const ready = serviceReady && settled && !pending;
    const allocating = settled && hasAddresses(endpoints, "addresses");
    return {
      ready,
      passable: serviceReady && !pending,
      status: [
        finding,
        ...(ready ? [["info", done("Service initialization complete")] as const] : []),
        ...(!ready && allocating ? [["info", "[2/3] Attempting to allocate IP address to Service"] as const] : []),
      ],
      problems,
      ...(quietMs !== undefined && quietMs < SETTLED_MS && { againMs: SETTLED_MS - quietMs }),
    };
  },
};

function hasAddress(service: KubeObject): boolean {
  if (textAt(service, "spec", "type") !== "LoadBalancer") return true;
  const ingress = at(service, "status", "loadBalancer", "ingress");
  return Array.isArray(ingress) && ingress.length > 0;
}

function isHeadlessOrExternal(service: KubeObject): boolean {
  return textAt(service, "spec", "type") === "ExternalName" || textAt(service, "spec", "clusterIP") === "None";
}

function targetsPods(service: KubeObject): boolean {
  const selector = at(service, "spec", "selector");
  return !isHeadlessOrExternal(service) && isObject(selector) && Object.keys(selector).length > 0;
}

function hasAddresses(endpoints: KubeObject | undefined, field: "addresses" | "notReadyAddresses"): boolean {
  const subsets = endpoints && at(endpoints, "subsets");
  const some = (subset: Field) => {
    const addresses = isObject(subset) ? subset[field] : undefined;
    return Array.isArray(addresses) && addresses.length > 0;
  };
  return Array.isArray(subsets) && subsets.some(some);
}

function problemsOf(service: KubeObject, hasReady: boolean): string[] {
  if (isHeadlessOrExternal(service)) return [];
  return [
    ...(hasReady
      ? []
      : [
          "Service does not target any Pods. Selected Pods may not be ready, or " +
            "field '.spec.selector' may not match labels on any Pods",
        ]),
    ...(hasAddress(service) ? [] : ["Service was not allocated an IP address; does your cloud provider support this?"]),
  ];
}
