import { file, loopback, port, type Process, text } from "../process.ts";
import { type AggregatedServer, aggregatedServerProcess } from "./aggregated-server.ts";
import { authority } from "./certificates.ts";

/** Serves the resource and custom metrics of all members, for FederatedHPA. */
export function karmadaMetricsAdapterProcess(server: AggregatedServer): Process {
  return aggregatedServerProcess(server, {
    component: "karmada-metrics-adapter",
    args: [text`--client-ca-file=${file("pki/ca.crt")}`, text`--metrics-bind-address=${loopback}:${port("metrics")}`],
    ports: ["metrics"],
    files: { "pki/ca.crt": authority("karmada") },
    certificates: [],
    probePath: "/readyz",
  });
}
