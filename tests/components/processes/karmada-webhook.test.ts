import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

describe("karmada-webhook", () => {
  test("serves TLS 1.3 from its own certificate directory", () => {
    expect(commandLine(controlPlaneProcess("karmada-webhook"))).toEqual([
      "--kubeconfig=/files/karmada.config",
      "--bind-address=127.0.0.1",
      "--secure-port=6443",
      "--cert-dir=/files/serving-cert",
      "--tls-min-version=1.3",
      "--metrics-bind-address=127.0.0.1:8080",
      "--health-probe-bind-address=127.0.0.1:10357",
      "--allow-no-execute-taint-policy=true",
      "--v=2",
    ]);
  });
});
