import type { StackArguments } from "../stack/arguments.ts";

/** Namespaces that are meant where none is named. */
export const usual = { namespace: "karmada-system", to: "karmada" };

/** What is wrong with how the command was called, in a sentence; undefined when nothing is. */
export function wrongUsage({ flags, values }: Pick<StackArguments, "flags" | "values">): string | undefined {
  const { kubeconfig = "", namespace, to } = { ...usual, ...values };
  if (kubeconfig === "") return "--kubeconfig: missing, want the kubeconfig of the host cluster";
  if (namespace === "") return '--namespace: got "", want the namespace of the plane that is there';
  const [fence, unfence] = [flags.has("fence"), flags.has("unfence")];
  const does = ["look", "fence", "unfence"].filter((flag) => flags.has(flag)).map((flag) => `--${flag}`);
  if (does.length > 1) return `${does.join(" and ")}: want one of them`;
  return !fence && !unfence && namespace === to
    ? `--to: got "${to}", want another namespace than that of the plane that is there`
    : undefined;
}
