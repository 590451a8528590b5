import { alert, type Rule, type Watched } from "../rule.ts";

/** The metric with the ends of certificates, by `certificate`. */
export const certificateEnd = "karmada_certificate_end_timestamp_seconds";
const day = 24 * 60 * 60;

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
  const left = (kind: string) => `${certificateEnd}{deployment="${deployment}",certificate${kind}"ca-.*"} - time()`;
  const renew = "Run `pulumi up`, which renews it, and `npm run monitoring`, which notes the new end.";
  return [
    ...ends,
    alert(watched, "KarmadaCertificateDue", "warning", "1h", `${left("!~")} < ${(renewBeforeSeconds * 3) / 4}`, {
      summary: "the certificate {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
      description: `It has been due for renewal (\`pki.renewBefore\`), and no \`up\` came. ${renew}`,
    }),
    alert(watched, "KarmadaCertificateEnds", "critical", "5m", `${left("!~")} < ${renewBeforeSeconds / 6}`, {
      summary: "the certificate {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
      description: `Whoever shows it is let in nowhere then. ${renew}`,
    }),
    alert(watched, "KarmadaAuthorityEnds", "warning", "1h", `${left("=~")} < ${90 * day}`, {
      summary: "the authority {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
      description: "Every certificate that it signed ends to be valid with it. Plan the day on which it is replaced.",
    }),
  ];
}
