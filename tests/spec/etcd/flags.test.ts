import { execa } from "execa";
import { versionedArgs } from "../../../components/processes/etcd-versions.ts";
import { checkEtcdFlags } from "../../../spec/etcd/flags.ts";
import { programPath } from "../../support/programs.ts";
import { problemsOf } from "../configuration.ts";

const sets: readonly Readonly<Record<string, string>>[] = [
  { "experimental-watch-progress-notify-interval": "10s" },
  { "experimental-compact-hash-check-enabled": "false" },
  { "cipher-suites": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" },
  { "cipher-suites": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "tls-min-version": "TLS1.2" },
  { "experimental-compact-hash-check-time": "2m" },
];

test.each(["3.5.35", "3.6.6"])(
  "etcd %s itself refuses the flags that are refused, and no others",
  async (version) => {
    const etcd = await programPath(`etcd@${version}`);
    for (const extraArgs of sets) {
      const extra = Object.entries(extraArgs).map(([flag, value]) => `--${flag}=${value}`);
      const args = ["--tls-min-version=TLS1.3", ...versionedArgs(version, "5s"), ...extra, "--data-dir=/dev/null/none"];
      const { all } = await execa(etcd, args, { all: true, reject: false, timeout: 20_000 });
      const started = all.includes("/dev/null: not a directory") || all.includes("/dev/null/none: not a directory");
      expect([extraArgs, started]).toEqual([extraArgs, checkEtcdFlags(extraArgs, version).length === 0]);
    }
  },
  60_000,
);

test("what is refused is told with what to set instead", () => {
  const flag = "experimental-watch-progress-notify-interval";
  expect(problemsOf({ etcd: { kind: "managed", extraArgs: { [flag]: "10s" } } })).toEqual([
    expect.stringMatching(
      new RegExp(`^etcd.extraArgs.${flag}: etcd 3\\.6\\.\\d+ does .*: want watch-progress-notify-`),
    ),
  ]);
});
