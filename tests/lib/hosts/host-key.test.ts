import { fingerprint, kindOf, parseHostKeys } from "../../../lib/hosts/host-key.ts";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
const key = Buffer.from(line.split(" ")[1]!, "base64");
// As ssh-keygen -lf shows it.
const shown = "SHA256:T7SvZ2cslqpPj6nKzitCBHHlpVF3r3MvLwmFL0fk0IE";

test("reads a fingerprint as ssh-keygen shows it", () => {
  expect(fingerprint(key)).toBe(shown);
  expect(kindOf(key)).toBe("ssh-ed25519");
});

test.each([
  ["a line of authorized_keys", `${line} root@host1`, ["ssh-ed25519"]],
  ["a line of known_hosts", `host1,10.0.0.11 ${line}`, ["ssh-ed25519"]],
  ["a line of a host whose name begins as a kind of key does", `ssh-gateway.example.org ${line}`, ["ssh-ed25519"]],
  ["a line of another port, by a hash of its name", `|1|dGhpcw==|dGhhdA== ${line}`, ["ssh-ed25519"]],
  ["what ssh-keyscan prints", `# host1:22 SSH-2.0-OpenSSH\nhost1 ${line}\n`, ["ssh-ed25519"]],
  ["a fingerprint", shown, []],
  ["what ssh-keygen -l prints", `256 ${shown} root@host1 (ED25519)\n`, []],
])("accepts the key that is noted down as %s, and no other", (_, text, algorithms) => {
  const pins = parseHostKeys(text);
  expect(pins.accepts(key)).toBe(true);
  expect(pins.accepts(Buffer.from([...key.subarray(0, -1), 0]))).toBe(false);
  expect(pins.algorithms).toEqual(algorithms);
  expect(pins.expected).toBe(shown);
});

test("asks for an RSA key under the signatures that servers of today still make", () => {
  const rsa = Buffer.concat([Buffer.from([0, 0, 0, 7]), Buffer.from("ssh-rsa"), Buffer.alloc(64)]).toString("base64");
  expect(parseHostKeys(`ssh-rsa ${rsa}`).algorithms).toEqual(["rsa-sha2-512", "rsa-sha2-256"]);
});

test.each(["", "\n# nothing\n"])("refuses no key at all: %j", (text) =>
  expect(() => parseHostKeys(text)).toThrow("no host key is given, so nobody could tell the host from another"),
);

test.each(["any", "ssh-ed25519", "ssh-ed25519 AAAA", "SHA256:short", line.replace("ssh-ed25519 ", "ssh-rsa ")])(
  "refuses what is no key: %s",
  (text) =>
    expect(() => parseHostKeys(text)).toThrow(
      `got "${text}" as host key, want a line of known_hosts or a fingerprint "SHA256:..."`,
    ),
);

test.each(["@revoked", "@cert-authority"])("refuses a key that known_hosts has marked as no host's own: %s", (mark) => {
  const marked = `${mark} * ${line}`;
  expect(() => parseHostKeys(`${shown}\n${marked}`)).toThrow(
    `got "${marked}" as host key, want the key of the host itself: one that is marked ${mark} in known_hosts is none`,
  );
});
