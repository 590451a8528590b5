import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import * as os from "node:os";
import { dirname, join } from "node:path";
import { jest } from "@jest/globals";

jest.unstable_mockModule("node:os", () => ({
  ...os,
  userInfo: () => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)");
  },
}));
const { prepareLayout, supervisorLayout } = await import("../../../lib/supervisor/layout.ts");

test("a user of whom the system knows only the number has a socket for a directory whose path is long", async () => {
  const directory = await mkdtemp(join(os.tmpdir(), "layout-"));
  try {
    const layout = supervisorLayout(join(directory, "long".repeat(40)));
    expect(layout.socket).toMatch(new RegExp(`^/tmp/karmada-supervisors-${process.geteuid!()}/[0-9a-f]{16}\\.socket$`));
    prepareLayout(layout);
    expect(existsSync(dirname(layout.socket))).toBe(true);
  } finally {
    await rm(directory, { recursive: true });
  }
});
