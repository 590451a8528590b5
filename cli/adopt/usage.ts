import type { StackArguments } from "../stack/arguments.ts";

/** Default namespaces. */
export const usual = { namespace: "karmada-system", to: "karmada" };

/** What is wrong with how the command was called, in a sentence; undefined when nothing is. */
export function wrongUsage({ flags, values }: Pick<StackArguments, "flags" | "values">): string | undefined {
  const { kubeconfig = "", namespace, to, snapshot } = { ...usual, ...values } as Values;
  if (kubeconfig === "") return "--kubeconfig: missing, want the kubeconfig of the host cluster";
  if (namespace === "") return '--namespace: got "", want the namespace of the plane that is there';
  if (snapshot === "") return '--snapshot: got "", want the file to write';
  const given = new Set([...flags, ...Object.keys(values)]);
  const does = ["look", "in-place", "snapshot", "fence", "unfence"].filter((flag) => given.has(flag));
  if (does.length > 1) return `${does.map((flag) => `--${flag}`).join(" and ")}: want one of them`;
  const makesAnother = does.length === 0 || does[0] === "look";
  return makesAnother && namespace === to
    ? `--to: got "${to}", want another namespace than that of the plane that is there`
    : undefined;
}

type Values = Readonly<Record<keyof typeof usual, string> & Partial<Record<"kubeconfig" | "snapshot", string>>>;
