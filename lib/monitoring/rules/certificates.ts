import { alert, type Rule, type Watched } from "../rule.ts";

/** The metric with the ends of certificates, by `certificate`. */
export const certificateEnd = "karmada_certificate_end_timestamp_seconds";
const day = 24 * 60 * 60;
const renew =
  "Run `pulumi up`, which renews it, and `npm run monitoring`, which notes the new end. One that is given, as for an external etcd, is renewed before that by who issued it.";

/**
 * Ends of the certificates of the latest `up`, including those that no program reports; rewritten with every
 * configuration.
 */
export function certificateRules(watched: Watched): Rule[] {
  const { deployment, renewBeforeSeconds, certificateEnds } = watched;
  const ends = Object.entries(certificateEnds).map(([certificate, when]) => ({
    record: certificateEnd,
    expr: `vector(${Date.parse(when) / 1000})`,
    labels: { deployment, certificate },
  }));
  if (ends.length === 0) return [];
  const leaf = left(watched, 'certificate!~"ca-.*"');
  return [
    ...ends,
    alert(watched, {
      name: "KarmadaCertificateDue",
      severity: "warning",
      for: "1h",
      expr: `${leaf} < ${(renewBeforeSeconds * 3) / 4}`,
      summary: "the certificate {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
      description: `It has been due for renewal (\`pki.renewBefore\`), and no \`up\` came. ${renew}`,
    }),
    alert(watched, {
      name: "KarmadaCertificateEnds",
      severity: "critical",
      for: "5m",
      expr: `${leaf} < ${renewBeforeSeconds / 6}`,
      summary: "the certificate {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
      description: `Whoever shows it is let in nowhere then. ${renew}`,
    }),
    ...authorityRules(watched),
  ];
}

/** Those that an `up` renews, and those that are given, which nothing renews. */
function authorityRules(watched: Watched): Rule[] {
  const { authorities = { renewBeforeSeconds: Infinity, given: [] } } = watched;
  const given = authorities.given.join("|");
  const made = `certificate=~"ca-.*"${given === "" ? "" : `,certificate!~"${given}"`}`;
  const overdue = Math.min(90 * day, (authorities.renewBeforeSeconds * 3) / 4);
  const summary = "the authority {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}";
  const copies = "Who has a copy of it needs the new one before then: docs/certificates.md says who.";
  const due = alert(watched, {
    name: "KarmadaAuthorityDue",
    severity: "warning",
    for: "1h",
    expr: `${left(watched, made)} < ${overdue}`,
    summary,
    description: `It has been due for renewal, and no \`up\` came. ${renew} ${copies}`,
  });
  if (given === "") return [due];
  const ofGiven = left(watched, `certificate=~"${given}"`);
  const ends = alert(watched, {
    name: "KarmadaAuthorityEnds",
    severity: "warning",
    for: "1h",
    expr: `${ofGiven} < ${90 * day}`,
    summary,
    description: `No \`up\` renews it, as it is given: give one with its key and its name (\`pki.authorities\`), and run \`pulumi up\`. ${copies}`,
  });
  return [due, ends];
}

const left = ({ deployment }: Watched, matchers: string): string =>
  `${certificateEnd}{deployment="${deployment}",${matchers}} - time()`;
