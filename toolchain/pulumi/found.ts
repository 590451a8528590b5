/** The pulumi to run, and with what environment. */
export interface PulumiCommand {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where to run it. */
  readonly cwd: string;
  /** Whether CLI, language host and plugins are Pulumi's own. */
  readonly official: boolean;
  /** One line for the user: which pulumi, which plugins. */
  readonly summary: string;
}

/** A pulumi and what it needs beyond the defaults. */
export interface Found extends Pick<PulumiCommand, "path" | "official" | "summary"> {
  readonly env: Readonly<Record<string, string>>;
  /** Directories to put before PATH. */
  readonly pathEntries: readonly string[];
}
