import { mebibytes, readableSize, roughSize } from "../../lib/size.ts";

const mebi = 2 ** 20;

test("bytes in mebibytes are rounded up, and down for what there is", () => {
  expect([mebibytes(412 * mebi), mebibytes(411.2 * mebi), mebibytes(411.8 * mebi, Math.floor)]).toEqual([
    "412Mi",
    "412Mi",
    "411Mi",
  ]);
});

test("a size in bytes is written with about three digits", () => {
  expect([0, 1.26, 9.94, 412.4, 8192, 8300].map((count) => readableSize(count * mebi))).toEqual([
    "0.0Mi",
    "1.3Mi",
    "9.9Mi",
    "412Mi",
    "8.0Gi",
    "8.1Gi",
  ]);
});

test("bytes to one digit read alike where they differ by little", () => {
  expect([0.9, 1.2, 17, 412, 440, 1100, 8300].map((count) => roughSize(count * mebi))).toEqual([
    "under 1Mi",
    "about 1Mi",
    "about 20Mi",
    "about 400Mi",
    "about 400Mi",
    "about 1Gi",
    "about 8Gi",
  ]);
});
