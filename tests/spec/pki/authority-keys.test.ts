import { checkAuthorityKeys, keyWarnings } from "../../../spec/pki/authority-keys.ts";
import { resolve } from "../../../spec/resolve.ts";
import { createAuthority } from "../../support/certificates.ts";
import { context, problemsOf } from "../configuration.ts";

const now = new Date();
const problemsWith = (pki: object) => problemsOf({ pki }, { now });

test("keys of authorities that are made here have names, each once", () => {
  expect(problemsWith({ authorityKeys: { karmada: ["initial", "2026-12"], "etcd-peer": ["2026-12"] } })).toEqual([]);
  expect(problemsWith({ authorityKeys: { etcdevents: ["initial"] } })).toEqual([
    "pki.authorityKeys.etcdevents: unknown key, want one of etcd, etcd-peer, karmada, front-proxy, addons",
  ]);
  expect(problemsWith({ authorityKeys: { karmada: [] } })).toEqual([
    "pki.authorityKeys.karmada: got an empty list, want at least one",
  ]);
  expect(problemsWith({ authorityKeys: { karmada: ["a/b", "new"] } })).toEqual([
    'pki.authorityKeys.karmada[0]: got "a/b", want the name of a key, such as "2026-12"',
  ]);
  expect(problemsWith({ authorityKeys: { karmada: ["new", "new"] } })).toEqual([
    'pki.authorityKeys.karmada[1]: got "new", want each key once',
  ]);
});

test("an authority that is given, or another's, has no keys of ours", async () => {
  const { certificate, key } = await createAuthority("corporate");
  const authorityKeys = { karmada: ["initial"] };
  expect(problemsWith({ authorities: { karmada: { certificate, key } }, authorityKeys })).toEqual([
    "pki.authorityKeys.karmada: got keys for an authority that is given, want this left out: pki.authorities.karmada.alsoTrusted has further certificates",
  ]);
  const { pki } = resolve({ pki: { authorityKeys: { etcd: ["next"] } } }, context);
  expect(checkAuthorityKeys(pki as never, "external")).toEqual([
    {
      path: ["pki", "authorityKeys", "etcd"],
      message: "got keys, but nothing is made for an external etcd: want this left out",
    },
  ]);
});

test("what is trusted beside a given authority are further authorities, and nothing that anybody may speak for", async () => {
  const [given, former] = await Promise.all([createAuthority("given"), createAuthority("former")]);
  const { certificate, key } = given;
  const problems = (alsoTrusted: string) =>
    problemsWith({ authorities: { karmada: { certificate, key, alsoTrusted } } });
  expect(problems(former.certificate)).toEqual([]);
  expect(problems(former.certificate.trim() + certificate)).toEqual([
    "pki.authorities.karmada.alsoTrusted: got 2 certificates in one another, want each to begin on a line of its own",
  ]);
  expect(problems(`${former.certificate}\n${certificate}`)).toEqual([
    "pki.authorities.karmada.alsoTrusted: got the authority's own certificate again, want further ones",
  ]);
  const leaf = await former.issue({ commonName: "somebody" });
  expect(problems(leaf.certificate)).toEqual([expect.stringMatching(/alsoTrusted: .*no authority/)]);
  expect(problems(await former.former())).toEqual([expect.stringMatching(/alsoTrusted: .*expired/)]);
  const front = { certificate: former.certificate, key: former.key };
  const karmada = { certificate, key, alsoTrusted: former.certificate };
  expect(problemsWith({ authorities: { karmada, "front-proxy": front } })).toEqual([
    expect.stringMatching(/^pki.authorities.front-proxy: got the same/),
  ]);
});

test("each of the three edits is taken without a word", () => {
  const steps = [{}, ["initial", "new"], ["new", "initial"], ["new"], ["new", "newer"]].map((keys) =>
    Array.isArray(keys) ? { karmada: keys } : keys,
  );
  for (const [i, before] of steps.slice(0, -1).entries()) expect(keyWarnings(steps[i + 1]!, before)).toEqual([]);
});

test("a key that signs before it is trusted, or is dropped while it signs, is warned of", () => {
  const steps = "\nwithout an outage it takes an up each: [initial, new], [new, initial], [new]";
  const got = (now: string, consequence: string) => `pki.authorityKeys.karmada: ${now}: ${consequence}${steps}`;
  const refused =
    'from this up on everything that karmada\'s key "initial" has signed is refused: programs refuse each other until it has reached them all, and kubeconfigs and agents elsewhere for good';
  expect(keyWarnings({ karmada: ["new"] }, {})).toEqual([got("got [new] after [initial]", refused)]);
  expect(keyWarnings({ karmada: ["new"] }, { karmada: ["initial", "new"] })).toEqual([
    got("got [new] after [initial, new]", refused),
  ]);
  expect(keyWarnings({ karmada: ["new", "initial"] }, {})).toEqual([
    got(
      "got [new, initial] after [initial]",
      '"new" signs before everything trusts it, and programs refuse each other until this up has reached them all',
    ),
  ]);
  expect(keyWarnings({}, { karmada: ["new"] })).toHaveLength(1);
});
