import { Archive, Asset, isList, reveal, UNKNOWN } from "../../server/index.ts";
import type { CheckFailure, Log, Properties, ResourceType } from "../../server/index.ts";
import { checkFields } from "../fields.ts";
import { diffInputs, wantedInputs } from "../input-diff.ts";
import { uniqueId } from "../unique-id.ts";
import { connectionField, openConnection, secureConnection } from "./connection.ts";
import type { Source } from "./copy.ts";

const fields = {
  connection: connectionField,
  triggers: { type: "list" },
  source: { type: "asset", required: true },
  remotePath: { type: "string", required: true },
} as const;

/**
 * A file, text or directory on another host; deleting the resource leaves it there.
 * https://github.com/pulumi/pulumi-command/blob/v1.2.1/provider/pkg/provider/remote/copyController.go
 */
export const copyToRemote: ResourceType = {
  async check({ news }) {
    const failures = [...checkFields(news, fields, "remote.CopyToRemoteInputs"), ...checkSource(news)];
    return { inputs: secureConnection(news, failures.length === 0), failures };
  },
  diff: diffInputs,
  async create({ inputs, preview, log, signal }) {
    if (preview) return { id: "", outputs: { ...inputs, source: UNKNOWN } };
    await copyInputs(inputs, log, signal);
    return { id: uniqueId(""), outputs: inputs };
  },
  async update(request) {
    const news = wantedInputs(request);
    if (request.preview) return { ...news, source: UNKNOWN };
    if (isMoved(request.olds, news)) await copyInputs(news, request.log, request.signal);
    return news;
  },
};

function checkSource(news: Properties): CheckFailure[] {
  const source = openSource(news);
  if (source === undefined) return [{ property: "asset", reason: "either asset or archive must be set" }];
  if ("path" in source.content || (source instanceof Asset && "text" in source.content)) return [];
  return source instanceof Asset
    ? [{ property: "asset", reason: "asset must be a path-based file asset or a text asset" }]
    : [{ property: "archive", reason: "archive must be a path to a file or directory" }];
}

/** Whether there is something to copy: a change of login or triggers alone copies nothing. */
function isMoved(olds: Properties, news: Properties): boolean {
  return openSource(olds)?.hash !== openSource(news)?.hash || reveal(olds)["remotePath"] !== reveal(news)["remotePath"];
}

async function copyInputs(inputs: Properties, log: Log, signal: AbortSignal): Promise<void> {
  const { copy } = await import("./copy.ts");
  const remotePath = reveal(inputs)["remotePath"] as string;
  await copy(openConnection(inputs), openSource(inputs)!.content as Source, remotePath, { log, signal });
}

function openSource(inputs: Properties): Asset | Archive | undefined {
  const source = reveal([inputs["source"]]);
  const opened = isList(source) ? source[0] : undefined;
  return opened instanceof Asset || opened instanceof Archive ? opened : undefined;
}
