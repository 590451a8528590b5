import { splitLogin, withoutLogin } from "../../../toolchain/net/login.ts";

const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString("base64")}` });

test.each([
  ["https://ci:t0ken@mirror.test/karmada", "https://mirror.test/karmada", "ci:t0ken"],
  ["https://c%40i:t%2Fk%C3%A9n@mirror.test:8443/a%20b", "https://mirror.test:8443/a%20b", "c@i:t/kén"],
  ["https://ci:5%off@mirror.test/", "https://mirror.test/", "ci:5%off"],
  ["https://ci:t0k@en@mirror.test/", "https://mirror.test/", "ci:t0k@en"],
  ["https://t0ken@mirror.test/", "https://mirror.test/", "t0ken:"],
  ["https://:t0ken@mirror.test/", "https://mirror.test/", ":t0ken"],
])("of %s, the address is apart from the login", (written, address, login) => {
  expect(splitLogin(written)).toEqual({ address, headers: basic(login) });
});

test.each([
  "https://mirror.test",
  "http://127.0.0.1:5000/a@b",
  "/var/mirror",
  "quay.io/coreos/etcd:v3.6.6",
  "a@v1.2.3",
])("%s, without a login, stays as it is", (written) => {
  expect(splitLogin(written)).toEqual({ address: written, headers: {} });
  expect(withoutLogin(written)).toBe(written);
});
