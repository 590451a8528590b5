import { readable } from "../../../lib/etcd/log-lines.ts";

const line = (level: string, msg: string, error?: string) => JSON.stringify({ level, ts: "2026", msg, error });

describe("etcd's log", () => {
  test("is what went wrong, without the rest", () => {
    const log = [line("info", "starting"), line("error", "bootstrap failed", "no route"), line("fatal", "gave up"), ""];
    expect(readable(log.join("\n"))).toBe("error bootstrap failed: no route\nfatal gave up");
  });

  test("is what a panic says, not the stack it writes", () => {
    const stack = ["goroutine 1 [running]:", "go.uber.org/zap.(*Logger).Panic(0x33)", "\tzap/logger.go:285 +0x4b"];
    const run = [line("panic", "failed to create WAL", "no space left on device"), "panic: failed to create WAL"];
    expect(readable([...run, "", ...stack, line("info", "starting"), ...run, ...stack].join("\n"))).toBe(
      "panic failed to create WAL: no space left on device\npanic: failed to create WAL",
    );
  });

  test("keeps lines of another form, and all when nothing went wrong", () => {
    expect(readable(`${line("info", "starting")}\npanic: tocommit(28) is out of range`)).toBe(
      "panic: tocommit(28) is out of range",
    );
    expect(readable(line("info", "starting"))).toBe("info starting");
  });
});
