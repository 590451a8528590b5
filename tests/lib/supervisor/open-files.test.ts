import { readFileSync } from "node:fs";
import { adviceOnOpenFiles } from "../../../lib/supervisor/open-files.ts";

test("a program without a watcher of files left is told from others, with what this machine allows", () => {
  // As karmada-webhook ends then.
  const log = [
    `I1123 15:53:48.324111   26648 internal.go:594] "Wait completed, proceeding to shutdown the manager"`,
    `E1123 15:53:48.324132   26648 webhook.go:242] webhook server exits unexpectedly: too many open files`,
  ];
  const allowed = readFileSync("/proc/sys/fs/inotify/max_user_instances", "utf8").trim();
  expect(adviceOnOpenFiles(log)).toMatch(
    new RegExp(
      `^this machine allows ${allowed} watchers of files .*\\n.*sysctl fs\\.inotify\\.max_user_instances=8192`,
    ),
  );
  expect(adviceOnOpenFiles(log.slice(0, 1))).toBeUndefined();
});
