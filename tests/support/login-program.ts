import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigOf } from "./cluster.ts";

/** What an ExecCredential says. */
export interface Status {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

/** A program (`exec`) by which a kubeconfig's user logs in. */
export interface LoginProgram {
  kubeconfig(server: string, ca: string): string;
  /** What it gives from now on; undefined: it fails. One that is `asking` wants an answer first, and fails without. */
  give(status: Status | "asking" | undefined): void;
  /** How often it ran. */
  runs(): number;
  remove(): void;
}

export function loginProgram(): LoginProgram {
  const directory = mkdtempSync(join(tmpdir(), "login-"));
  const [credential, log, asking] = [join(directory, "credential"), join(directory, "log"), join(directory, "asking")];
  writeFileSync(log, "");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "sh",
    args: ["-c", `echo >>${log}; if test -e ${asking}; then read answer || exit 4; fi; exec cat ${credential}`],
    interactiveMode: "Never",
  };
  return {
    kubeconfig: (server, ca) => {
      const config = JSON.parse(kubeconfigOf(server, ca, { certificate: "", key: "" })) as { users: object[] };
      const users = config.users.map((each) => ({ ...each, user: { exec } }));
      return JSON.stringify({ ...config, users });
    },
    give: (status) => {
      const { apiVersion } = exec;
      rmSync(credential, { force: true });
      if (status === "asking") writeFileSync(asking, "");
      else if (status !== undefined)
        writeFileSync(credential, JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
    },
    runs: () => readFileSync(log, "utf8").length,
    remove: () => rmSync(directory, { recursive: true }),
  };
}
