/** Where pulumi's own things lie for a user of whom the system knows only the number, as in many a container. */
import { jest } from "@jest/globals";

jest.unstable_mockModule("node:os", () => ({
  userInfo: () => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)");
  },
}));
const { namelessUser, userHome } = await import("../../../toolchain/pulumi/checkout.ts");

test("the home of a user whom the system does not know is the one that HOME says", () => {
  expect(userHome({ HOME: "/nowhere" })).toBe(`${process.env["HOME"] || "/"}/.pulumi`.replace("//", "/"));
});

test("a user whom the system does not know is given the number as a name, without which pulumi makes no stack", () => {
  expect(namelessUser()).toEqual({ USER: String(process.getuid!()) });
});
