import { jest } from "@jest/globals";
import { describe as inWords, Display } from "../../toolchain/display.ts";

const screen = (isTTY: boolean) => {
  const written: string[] = [];
  return { isTTY, columns: 60, write: (text: string) => written.push(text), written };
};

test("a step says what it is about, and how far it is", () => {
  expect(inWords({ subject: "kubernetes-1.35.3", step: "build", done: 12, total: 1400, unit: "packages" })).toBe(
    "kubernetes-1.35.3: build 12 of 1400 packages",
  );
  expect(inWords({ subject: "etcd 3.6.6", step: "download", done: 1_250_000, unit: "bytes" })).toBe(
    "etcd 3.6.6: download 1.3 MB",
  );
  expect(inWords({ subject: "etcd-3.6.6", step: "fetch", done: 12, unit: "Go modules" })).toBe(
    "etcd-3.6.6: fetch 12 Go modules",
  );
  expect(inWords({ subject: "etcd-3.6.6", step: "not obtained", finished: "failed" })).toBe("etcd-3.6.6: not obtained");
});

test("in a log a step is one line with the time since the start, whatever it counts", () => {
  const log = screen(false);
  const display = new Display(log);
  for (let done = 0; done < 100; done++) display.show({ subject: "a", step: "build", done, unit: "packages" });
  display.show({ subject: "a 1", step: "from module", finished: "ok" });
  display.close();
  expect(log.written).toEqual([
    expect.stringMatching(/^ +\d+\.\ds a: build 0 packages\n$/),
    expect.stringMatching(/^ +\d+\.\ds a 1: from module\n$/),
  ]);
});

test("colour and cursor movement are for terminals only, and lines never wrap", () => {
  const log = screen(false);
  const terminal = screen(true);
  for (const where of [log, terminal]) {
    const display = new Display(where);
    display.show({ subject: "a".repeat(100), step: "from module", finished: "ok" });
    display.close();
  }
  expect(log.written.join("")).not.toContain("\x1b");
  const lines = terminal.written
    .join("")
    .split("\n")
    .map((line) => line.replaceAll(/\x1b\[\d*[A-Z]/g, ""));
  expect(Math.max(...lines.map((line) => line.length))).toBe(59);
});

test("what a source could not give goes without a word, and only what goes on is said again after 15 seconds", () => {
  jest.useFakeTimers();
  try {
    const log = screen(false);
    const display = new Display(log);
    display.show({ subject: "a 1", step: "resolve example.org/a" });
    display.show({ subject: "a 1", step: "", finished: "left" });
    jest.advanceTimersByTime(15_000);
    expect(log.written).toHaveLength(1);
    display.show({ subject: "a", step: "build", done: 1, total: 9, unit: "packages" });
    display.show({ subject: "b", step: "build", done: 2, total: 9, unit: "packages" });
    jest.advanceTimersByTime(29_000);
    display.close();
    expect(log.written.slice(3)).toEqual([
      expect.stringMatching(/^ +\d+\.\ds a: build 1 of 9 packages; b: build 2 of 9 packages\n$/),
    ]);
  } finally {
    jest.useRealTimers();
  }
});
