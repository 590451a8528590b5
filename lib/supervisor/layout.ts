import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { sha256 } from "../sha256.ts";

/** Where a supervisor keeps what it needs, below the directory of the deployment it serves. */
export interface Layout {
  /** The deployment's directory, without symbolic links: two names for one directory must not give two supervisors. */
  readonly directory: string;
  /** Everything of the supervisor itself. */
  readonly own: string;
  /** One description per process that shall run. */
  readonly wanted: string;
  /** One record per process that was started: its process id and start time. */
  readonly running: string;
  readonly lock: string;
  readonly log: string;
  readonly socket: string;
}

// sun_path holds 108 bytes on linux, 104 on darwin, the closing zero included.
const longestSocketPath = 103;

/** The paths for a deployment's directory, which need not exist yet. */
export function supervisorLayout(deploymentDirectory: string): Layout {
  const directory = withoutLinks(resolve(deploymentDirectory));
  const own = join(directory, ".supervisor");
  const near = join(own, "socket");
  return {
    directory,
    own,
    wanted: join(own, "wanted"),
    running: join(own, "running"),
    lock: join(own, "lock"),
    log: join(own, "supervisor.log"),
    socket: Buffer.byteLength(near) <= longestSocketPath ? near : join(shortDirectory(), `${digest(directory)}.socket`),
  };
}

/** Makes the directories, for their owner only. */
export function prepareLayout(layout: Layout): void {
  for (const path of [layout.directory, layout.own, layout.wanted, layout.running]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  if (!layout.socket.startsWith(layout.own)) prepareShortDirectory();
}

/** Not $TMPDIR: a supervisor and all later clients must come to the same path, whatever their environment. */
function shortDirectory(): string {
  return `/tmp/karmada-supervisors-${ownId()}`;
}

/** The user's number, as files have it: not every user has a name, which what Node.js knows of users wants. */
const ownId = (): number => process.geteuid!();

function prepareShortDirectory(): void {
  const path = shortDirectory();
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== ownId() || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${path}: must be a directory of yours that nobody else may enter\nremove it, or use a shorter state directory`,
    );
  }
}

function digest(text: string): string {
  return sha256(text).slice(0, 16);
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = resolve(path, "..");
    return parent === path ? path : join(withoutLinks(parent), path.slice(parent.length));
  }
}
