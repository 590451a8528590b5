import { publishedSha256 } from "../../../toolchain/net/checksums.ts";

const address = "https://publisher.test/sums";
const one = "1".repeat(64);
const two = "A".repeat(64);

test("a file with one checksum only is about what it stands beside (dl.k8s.io)", () => {
  expect(publishedSha256(one, "kubelet", address)).toBe(one);
  expect(publishedSha256(`${one}\n`, "kubelet", address)).toBe(one);
});

test("lines of sha256sum are searched for the name, with or without a path or a star (etcd, pulumi, coredns)", () => {
  const text = `${one}  other.tar.gz\n${two} *./build/wanted.tgz\n`;
  expect(publishedSha256(text, "wanted.tgz", address)).toBe(two.toLowerCase());
  expect(publishedSha256(text, "absent.tgz", address)).toBeUndefined();
  expect(publishedSha256(`${one}  other.tgz\n`, "wanted.tgz", address)).toBeUndefined();
});

test("GitHub's description of a release names each asset's digest (kwok)", () => {
  const text = JSON.stringify({
    assets: [
      { name: "kwok-linux-amd64", digest: `sha256:${one}` },
      { name: "old", digest: null },
    ],
  });
  expect(publishedSha256(text, "kwok-linux-amd64", address)).toBe(one);
  expect(publishedSha256(text, "old", address)).toBeUndefined();
});

test("an error page is no checksum file", () => {
  expect(publishedSha256("<html>not found</html>", "kubelet", address)).toBeUndefined();
  expect(publishedSha256("", "kubelet", address)).toBeUndefined();
});

test("a description that breaks off in the middle is refused with its address", () => {
  expect(() => publishedSha256('{"assets": [', "kwok-linux-amd64", address)).toThrow(
    'https://publisher.test/sums: want JSON, got something else, which begins with "{\\"assets\\": ["',
  );
});
