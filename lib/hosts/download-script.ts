import { quote } from "./quote.ts";

/** A web directory of programs, laid out as an unpacked bundle of the toolchain. */
export interface Mirror {
  /** `https://mirror.example.org/karmada`. */
  readonly url: string;
  /** Authority that signed its certificate, in PEM form. @default those of each host's operating system */
  readonly ca?: string | undefined;
}

/** Where something is in it. */
export const inMirror = ({ url }: Mirror, path: string): string => `${url.replace(/\/$/, "")}/${path}`;

/** Exit code of {@link downloading} when the mirror does not have the file. */
export const refusedCode = 41;

/** What a host lacks when it cannot download. BusyBox's wget does not verify certificates. */
export const tools = "neither curl nor GNU wget";

/**
 * Shell commands that define `download <url> <file> <seconds>`, or `download <url>` which only asks for it. The reason
 * for a failure is printed on one line.
 */
export function downloading({ ca }: Pick<Mirror, "ca">): string {
  return [
    `download() (`,
    `  said=$(mktemp) ca=`,
    `  trap 'rm -f "$said" $ca' EXIT`,
    ...(ca === undefined ? [] : [`  ca=$(mktemp)`, `  printf '%s\\n' ${quote(ca)} >"$ca"`]),
    `  url=$1 file=\${2:-} seconds=\${3:-${askSeconds}} code=0`,
    `  if command -v curl >/dev/null; then`,
    `    [ -n "$file" ] && set -- -o "$file" || set -- -I -o /dev/null`,
    `    timeout "$seconds" curl -fsSL --connect-timeout ${askSeconds} --speed-limit 1024 --speed-time ${quietSeconds} \${ca:+--cacert "$ca"} "$@" "$url" 2>"$said" || code=$?`,
    `  elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then`,
    `    [ -n "$file" ] && set -- -O "$file" || set -- --spider`,
    `    timeout "$seconds" wget -nv --tries=1 --timeout=${quietSeconds} --connect-timeout=${askSeconds} \${ca:+--ca-certificate="$ca"} "$@" "$url" 2>"$said" || code=$?`,
    `  else`,
    `    echo "${tools}" >"$said"`,
    `    code=1`,
    `  fi`,
    `  case "$code" in 0) exit 0 ;; 124) echo "no end within $seconds s" >"$said" ;; esac`,
    // The first line of either has the reason.
    `  sed -e 's/^curl: ([0-9]*) //' -e '/^[^ ]*:$/d' -e q "$said" >&2`,
    // curl(1), wget(1): the server answered with an error.
    `  case "$code" in 8 | 22) exit ${refusedCode} ;; *) exit 1 ;; esac`,
    `)`,
  ].join("\n");
}

/** Within which a mirror has to answer. */
const askSeconds = 10;

/** How long it may send nothing. */
const quietSeconds = 60;
