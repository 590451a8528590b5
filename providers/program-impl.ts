import { install, locate, type Progress } from "../toolchain/index.ts";
import { implement } from "./implementation.ts";
import { isUnknown } from "./props.ts";
import type { ProgramInputs, ProgramOutputs } from "./program.ts";

/** Building a Kubernetes program from its module takes three minutes on two cores; several builds may run at once. */
const installMinutes = 30;

const implemented = implement<ProgramInputs, ProgramOutputs>({
  inputs: { name: "replace", version: "update", runsElsewhere: "ignore" },
  id: ({ name }) => name,
  async check({ name, version }) {
    if (name === undefined || version === undefined) return [];
    try {
      await locate({ name, version });
      return [];
    } catch (error) {
      return [{ property: "version", reason: (error as Error).message }];
    }
  },
  /**
   * A program that is gone, or was obtained again, is at another path; for one that runs elsewhere only the content
   * counts.
   */
  async diff({ path, sha256 }, { name, version, runsElsewhere }) {
    if (name === undefined || version === undefined) return {};
    const found = await locate({ name, version });
    return { changes: runsElsewhere ? found?.sha256 !== sha256 : found?.path !== path };
  },
  create: obtain,
  /** Whether this machine has a program that runs elsewhere says nothing about the deployment. */
  async read({ name, version, runsElsewhere, path }) {
    const isThere = runsElsewhere === true || (await locate({ name, version }))?.path === path;
    return { state: {}, drift: isThere ? [] : [`${path} is not in the toolchain's store any more`] };
  },
  update: obtain,
  delete: async () => {},
});

/** A preview knows the path of an existing program, so that what depends on it can be planned. */
export const provider: typeof implemented = {
  ...implemented,
  async check(olds, news) {
    const checked = await implemented.check(olds, news);
    if (isUnknown(news) || (checked.failures ?? []).length > 0) return checked;
    const found = await locate({ name: news.name, version: news.version });
    return found === undefined
      ? checked
      : { inputs: { ...news, path: found.path, sha256: found.sha256 }, failures: [] };
  },
  /** Keeps what the check added to the inputs: otherwise a refresh would show each program as changed. */
  async read(id, props) {
    const seen = await implemented.read(id, props);
    const { path, sha256 } = props ?? {};
    return seen.inputs === undefined ? seen : { ...seen, inputs: { ...seen.inputs, path, sha256 } };
  },
};

async function obtain({ name, version }: ProgramInputs): Promise<ProgramOutputs> {
  const signal = AbortSignal.timeout(installMinutes * 60_000);
  const [artifact] = await install([{ name, version }], { signal, onProgress: sayNow(quietSeconds) });
  return { path: artifact!.path, sha256: artifact!.sha256 };
}

const quietSeconds = 10;

/** Reports progress when something new begins, and then every few seconds. */
function sayNow(seconds: number): (progress: Progress) => void {
  let said = { step: "", at: 0 };
  return ({ subject, step, done, total, unit, finished }) => {
    if (finished === "left") return;
    if (step === said.step && performance.now() - said.at < seconds * 1000) return;
    said = { step, at: performance.now() };
    const far = done === undefined ? "" : ` ${done}${total === undefined ? "" : ` of ${total}`} ${unit ?? ""}`;
    console.log(`${subject}: ${step}${far}`.trimEnd());
  };
}
