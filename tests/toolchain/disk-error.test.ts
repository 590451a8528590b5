import { diskProblem } from "../../toolchain/disk-error.ts";
import { withRemedy } from "../../toolchain/failure.ts";

const failed = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: said the system`), { code, ...more });

test.each([
  ["ENOSPC", {}, "full"],
  ["EDQUOT", { path: "/elsewhere" }, "full"],
  ["EACCES", { syscall: "open", path: "/store/tmp/a" }, "locked"],
  ["EROFS", { syscall: "copyfile", path: "/mirror/a", dest: "/store/tmp/a" }, "locked"],
  ["EACCES", { syscall: "open", path: "/mirror/manifest.json" }, undefined],
  ["EACCES", { syscall: "connect" }, undefined],
  ["EACCES", { syscall: "spawn go" }, undefined],
  ["ENOENT", { path: "/store/a" }, undefined],
])("%s with %j is %s, also as the cause of another error", (code, more, problem) => {
  expect(diskProblem(failed(code, more), "/store")).toBe(problem);
  expect(diskProblem(new Error("unpacking", { cause: failed(code, more) }), "/store")).toBe(problem);
});

test("an error that a full or locked disk caused is told with what to do", () => {
  const caused = (code: string) => new Error(`https://a/demo.tgz: ${code}`, { cause: failed(code) });
  expect(withRemedy(caused("EACCES"), "/store")).toMatchObject({
    message: "https://a/demo.tgz: EACCES",
    remedy: "make /store writable, or name another place with KARMADA_TOOLCHAIN_DIR",
  });
  expect(withRemedy(caused("ENOSPC"), "/store")).toMatchObject({
    remedy: "free disk space below /store, or name another place with KARMADA_TOOLCHAIN_DIR",
  });
});
