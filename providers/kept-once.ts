import type * as pulumi from "@pulumi/pulumi";
import { sha256 } from "../lib/sha256.ts";
import { unknownValue } from "../toolchain/pulumi/unknown-value.ts";
import { contentOf, remember } from "./file-contents.ts";
import type { implement } from "./implementation.ts";

/**
 * A provider that keeps long texts in the state only once. Pulumi keeps inputs and outputs; `delete` and `refresh` are
 * given only the outputs, so the text is there, and its digest among the inputs. Older state has the text in both
 * places, which is no difference.
 *
 * @param names inputs with such texts, for instance kubeconfigs
 */
export function keptOnce<P extends ReturnType<typeof implement>>(implemented: P, names: readonly string[]): P {
  const each = (props: Props, change: (text: string, name: string) => string): Props => {
    const texts = names.filter((name) => typeof props[name] === "string" && props[name] !== unknownValue);
    return { ...props, ...Object.fromEntries(texts.map((name) => [name, change(props[name] as string, name)])) };
  };
  const digests = (props: Props) => each(props, (text) => (isDigest(text) ? text : remember(text)));
  const texts = (props: Props) =>
    each(props, (text, name) => (isDigest(text) ? contentOf(text, `${props["cluster"] as string}: ${name}`) : text));
  return {
    ...implemented,
    async check(olds: Props | undefined, news: Props) {
      const checked = (await implemented.check(olds, news)) as Required<pulumi.dynamic.CheckResult>;
      return { ...checked, inputs: digests(checked.inputs as Props) };
    },
    diff: (id: string, olds: Props, news: Props) =>
      implemented.diff(
        id,
        olds,
        each(news, (text, name) => {
          const before = olds[name];
          return typeof before === "string" && isDigest(text) && sha256(before) === text ? before : text;
        }),
      ),
    create: (inputs: Props) => implemented.create(texts(inputs)),
    async read(id: string, props?: Props) {
      const seen = await implemented.read(id, props);
      return seen.inputs === undefined ? seen : { ...seen, inputs: digests(seen.inputs as Props) };
    },
    update: (id: string, olds: Props, news: Props) => implemented.update(id, olds, texts(news)),
  };
}

type Props = Record<string, unknown>;

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
