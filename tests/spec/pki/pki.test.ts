import { problemsOf } from "../configuration.ts";

test("certificates are renewed before they end, and end before their authority", () => {
  expect(problemsOf({ pki: { certificateValidity: "720h", renewBefore: "30h", authorityValidity: "700h" } })).toEqual([
    'pki.certificateValidity: got "720h", want at most pki.authorityValidity ("700h"): a certificate cannot outlive its authority',
  ]);
  expect(problemsOf({ pki: { certificateValidity: "720h", renewBefore: "43200m" } })).toEqual([
    'pki.renewBefore: got "43200m", want less than pki.certificateValidity ("720h"), or every update renews every certificate',
  ]);
});

test.each([
  ["1h", "30m"],
  ["90h", "5399m"],
])(
  "certificates of %s cannot be renewed %s before their end: an hour that begins counts as a whole one",
  (whole, last) => {
    expect(problemsOf({ pki: { certificateValidity: whole, renewBefore: last } })).toEqual([
      `pki.renewBefore: got "${last}", want less than pki.certificateValidity ("${whole}") in whole hours, rounded up, or every update renews every certificate`,
    ]);
    expect(problemsOf({ pki: { certificateValidity: "61m", renewBefore: "60m" } })).toEqual([]);
  },
);

test.each(["karmada.example.org", "*.example.org", "10.0.0.1", "fd00::1", "KARMADA"])(
  "%s can be an extra name",
  (name) => {
    expect(problemsOf({ pki: { extraNames: [name] } })).toEqual([]);
  },
);

test.each(["", "karmada.example.org:443", "https://karmada.example.org", "a b", "-a"])(
  "%j cannot be an extra name",
  (name) => {
    expect(problemsOf({ pki: { extraNames: [name] } })).toEqual([
      `pki.extraNames[0]: got ${JSON.stringify(name)}, want a host name or an IP address, without port`,
    ]);
  },
);
