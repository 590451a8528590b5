import { reveal, UNKNOWN } from "../server/index.ts";
import type { CheckRequest, CheckResult, Log, Properties, ResourceType, Value } from "../server/index.ts";
import { changedPaths, diffInputs, wantedInputs } from "./input-diff.ts";
import { uniqueId } from "./unique-id.ts";

/** One run of a command. */
export interface Run {
  readonly command: string;
  /** The resource's inputs, opened: never log them. */
  readonly inputs: Properties;
  /** What the run before wrote; empty texts when there was none. */
  readonly previous: Properties;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface CommandKind {
  check(request: CheckRequest): Promise<CheckResult>;
  /** Runs a command and gives its outputs. */
  run(run: Run): Promise<Properties>;
  /** The names of the outputs, besides the inputs, which are outputs as well. */
  readonly outputs: readonly string[];
}

/**
 * The life cycle of both kinds of command: `create` runs once, `update` or else `create` when an input changed,
 * `delete` at the end; what is left out is not run. Nothing runs in a preview, and there is nothing to read.
 * https://github.com/pulumi/pulumi-command/tree/v1.2.1/provider/pkg/provider
 */
export function commandType({ check, run, outputs }: CommandKind): ResourceType {
  const runIf = async (
    command: Value,
    request: { news: Properties; previous: Properties; log: Log; signal: AbortSignal },
  ) => {
    const { news, previous, log, signal } = request;
    const opened = reveal(command);
    if (typeof opened !== "string") return { stdout: "", stderr: "", ...previous };
    return { ...previous, ...(await run({ command: opened, inputs: reveal(news), previous, log, signal })) };
  };

  return {
    check,
    diff: diffInputs,

    async create({ name, inputs, preview, log, signal }) {
      const id = uniqueId(name);
      if (preview) return { id, outputs: { ...inputs, ...unknownOutput } };
      return {
        id,
        outputs: { ...inputs, ...(await runIf(inputs["create"], { news: inputs, previous: {}, log, signal })) },
      };
    },

    async update(request) {
      const { olds, oldInputs, preview, log, signal } = request;
      const news = wantedInputs(request);
      const previous = pick(olds, outputs);
      if (preview) return { ...news, ...(changedPaths(oldInputs, news).size > 0 ? unknownOutput : previous) };
      return {
        ...news,
        ...(await runIf(news["update"] ?? news["create"], { news, previous: opened(previous), log, signal })),
      };
    },

    async delete({ state, log, signal }) {
      await runIf(state["delete"], { news: state, previous: opened(pick(state, outputs)), log, signal });
    },
  };
}

const unknownOutput = { stdout: UNKNOWN, stderr: UNKNOWN };

function pick(properties: Properties, names: readonly string[]): Properties {
  return Object.fromEntries(names.filter((name) => name in properties).map((name) => [name, properties[name]]));
}

const opened = (properties: Properties): Properties => reveal(properties);
