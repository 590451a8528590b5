import { readable } from "../../../lib/etcd/log-lines.ts";

const line = (level: string, msg: string, error?: string) => JSON.stringify({ level, ts: "2026", msg, error });

describe("etcd's log", () => {
  test("is what went wrong, without the rest", () => {
    const log = [line("info", "starting"), line("error", "bootstrap failed", "no route"), line("fatal", "gave up"), ""];
    expect(readable(log.join("\n"))).toBe("error bootstrap failed: no route\nfatal gave up");
  });

  test("keeps lines of another form, and all when nothing went wrong", () => {
    expect(readable(`${line("info", "starting")}\npanic: tocommit(28) is out of range`)).toBe(
      "panic: tocommit(28) is out of range",
    );
    expect(readable(line("info", "starting"))).toBe("info starting");
  });
});
