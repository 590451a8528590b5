import { at, isObject, nameOf, textAt } from "../object.ts";
import type { Field, KubeObject } from "../object.ts";
import { core, done, spoken } from "./rule.ts";
import type { Rule, Status, View } from "./rule.ts";

/** How long to wait for the endpoints of a path's service before going on without, once the last changed. */
const SETTLED_MS = 10_000;
/** How long when no endpoints at all are seen: a path may lead to something else, or to what will never be there. */
const UNSEEN_MS = 60_000;

/** Every path has a service with endpoints, and a load balancer has given it an address. */
export const ingressRule: Rule = {
  ...spoken,
  onRead: true,
  related: [core("Endpoints"), core("Service")],
  judge(view) {
    const { once, quietMs, waitedMs } = view;
    const settled = once || (quietMs === undefined ? waitedMs >= UNSEEN_MS : quietMs >= SETTLED_MS);
    const missing = missingServices(view);
    const endpointsReady = settled || missing.length === 0;
    const addresses = at(view.object, "status", "loadBalancer", "ingress");
    const hasAddress = Array.isArray(addresses) && addresses.length > 0;
    const status: Status[] = [["info", "[1/3] Finding a matching service for each Ingress path"]];
    if (settled)
      for (const path of missing) status.push(["warning", `No matching service found for ingress rule: ${path}`]);
    if (endpointsReady) {
      status.push(
        hasAddress
          ? ["info", done("Ingress initialization complete")]
          : ["info", "[2/3] Waiting for update of .status.loadBalancer with hostname/IP"],
      );
    }
    return {
      ready: hasAddress && endpointsReady,
      status,
      problems: [
        ...(endpointsReady ? [] : ["Ingress has at least one rule with an unavailable target endpoint."]),
        ...(hasAddress
          ? []
          : [
              "Ingress .status.loadBalancer field was not updated with a hostname/IP address. " +
                "\n    for more information about this error, see https://pulumi.io/xdv72s",
            ]),
      ],
      againMs: SETTLED_MS,
    };
  },
};

/** The paths whose service has no endpoints, as `"host/path" -> "service"`. */
function missingServices({ object, related }: View): string[] {
  const withEndpoints = new Set(related("Endpoints").map(nameOf));
  const external = new Set(
    related("Service")
      .filter((service) => textAt(service, "spec", "type") === "ExternalName")
      .map(nameOf),
  );
  return list(at(object, "spec", "rules")).flatMap((rule) =>
    list(at(rule, "http", "paths"))
      .map((path) => ({
        path,
        service: textAt(path, "backend", "service", "name") || textAt(path, "backend", "serviceName"),
      }))
      .filter(({ service }) => service !== "" && !external.has(service) && !withEndpoints.has(service))
      .map(({ path, service }) => {
        const text = textAt(rule, "host") + textAt(path, "path");
        return `${text ? JSON.stringify(text) : '"" (default path)'} -> ${JSON.stringify(service)}`;
      }),
  );
}

function list(field: Field | undefined): KubeObject[] {
  return Array.isArray(field) ? field.filter(isObject) : [];
}
