/**
 * The canonical form of a quantity: `1000m` is `1`, `1024Mi` is `1Gi`; `undefined` for a text that is none.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function canonicalQuantity(text: string): string | undefined {
  const [match, sign = "", whole = "", fraction = "", suffix = ""] = format.exec(text.trim()) ?? [];
  if (match === undefined || (whole === "" && fraction === "")) return undefined;
  const digits = BigInt(sign.replace("+", "") + (whole + fraction || "0"));
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return canonicalBinary(digits * 1024n ** BigInt(binary), fraction.length);
  const exponent = suffixExponent(suffix);
  if (exponent === undefined) return undefined;
  const style = /^[eE]\d|^[eE][+-]/.test(suffix) ? "exponent" : "suffix";
  return canonicalDecimal(digits, exponent - fraction.length, style);
}

const format = /^([+-]?)(\d*)\.?(\d*)([a-zA-Z]{0,2}|[eE][+-]?\d+)$/;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes: Readonly<Record<number, string>> = {
  [-9]: "n",
  [-6]: "u",
  [-3]: "m",
  0: "",
  3: "k",
  6: "M",
  9: "G",
  12: "T",
  15: "P",
  18: "E",
};

function suffixExponent(suffix: string): number | undefined {
  if (/^[eE][+-]?\d+$/.test(suffix)) return Number(suffix.slice(1));
  const [exponent] = Object.entries(decimalSuffixes).find(([, each]) => each === suffix) ?? [];
  return exponent === undefined ? undefined : Number(exponent);
}

/** `scaled` / 10^`scale` bytes. Small numbers and fractions are written in decimal. */
function canonicalBinary(scaled: bigint, scale: number): string {
  const divisor = 10n ** BigInt(scale);
  const bytes = scaled / divisor;
  const isSmall = bytes > -1024n && bytes < 1024n;
  if (isSmall || scaled % divisor !== 0n) return canonicalDecimal(scaled, -scale, "suffix");
  let rest = bytes;
  let suffix = 0;
  while (rest % 1024n === 0n && suffix < binarySuffixes.length - 1) {
    rest /= 1024n;
    suffix++;
  }
  return `${rest}${binarySuffixes[suffix]}`;
}

/** `digits` * 10^`exponent` with the largest suffix that leaves a whole number; nothing is finer than nano. */
function canonicalDecimal(digits: bigint, exponent: number, style: "suffix" | "exponent"): string {
  if (digits === 0n) return "0";
  let [number, power] = [digits, exponent];
  while (power < -9) {
    const remainder = number % 10n;
    number = number / 10n + (remainder > 0n ? 1n : remainder < 0n ? -1n : 0n); // away from zero
    power++;
  }
  while (number % 10n === 0n) {
    number /= 10n;
    power++;
  }
  while (power % 3 !== 0 || (style === "suffix" && power > 18)) {
    number *= 10n;
    power--;
  }
  if (style === "exponent") return power === 0 ? String(number) : `${number}e${power}`;
  return `${number}${decimalSuffixes[power]}`;
}
