import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterIdOf } from "../../../lib/etcd/cluster-id.ts";
import { clusterIdOfData } from "../../../lib/etcd/wal.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { programPath } from "../../support/programs.ts";

/** Port 22090 is this member's; nobody has the others'. */
const peers = ["http://127.0.0.1:22090", "http://127.0.0.1:22093", "http://127.0.0.1:22092"] as const;

test.each([
  ["one member", `a=${peers[0]}`, "first"],
  ["three members", `a=${peers[0]},b=${peers[1]},c=${peers[2]}`, "prod-0123abcd-g2"],
])(
  "the ID of a cluster of %s is the one that etcd gives it",
  async (_, initialCluster, token) => {
    const directory = mkdtempSync(join(tmpdir(), "cluster-id-"));
    const data = join(directory, "data");
    const etcd = spawn(
      await programPath("etcd"),
      [
        "--name=a",
        `--data-dir=${data}`,
        `--initial-cluster=${initialCluster}`,
        `--initial-cluster-token=${token}`,
        `--initial-advertise-peer-urls=${peers[0]}`,
        `--listen-peer-urls=${peers[0]}`,
        "--listen-client-urls=http://127.0.0.1:22091",
        "--advertise-client-urls=http://127.0.0.1:22091",
      ],
      { stdio: "ignore" },
    );
    try {
      const found = await waitFor(
        "etcd's data",
        deadlineIn(20),
        async () => clusterIdOfData(data) ?? new Pending("none"),
      );
      expect(clusterIdOf({ initialCluster, token })).toBe(found);
    } finally {
      const ended = new Promise((resolve) => etcd.once("exit", resolve));
      etcd.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true });
    }
  },
  30_000,
);
