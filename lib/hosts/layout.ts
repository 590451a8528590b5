/**
 * Where things are on a host. One deployment has a host to itself: its programs listen on the ports everybody knows.
 * All of it belongs to root; each program reads its own files through the group of its user.
 */
export const hostPaths = {
  /** Configuration and certificates: `<process>/<file>`. */
  files: "/etc/karmada",
  /** Who has the host: the name of the deployment. */
  deployment: "/etc/karmada/deployment",
  /** What survives restarts: `<process>/`. */
  data: "/var/lib/karmada",
  /** Programs by content, `<sha256>/<name>`: those that are there before a deployment comes need not be sent. */
  programs: "/opt/karmada",
  /** Links to what each process runs, `<process>`. */
  links: "/opt/karmada/bin",
  units: "/etc/systemd/system",
} as const;

/** Where things of one process are on its host. */
export function hostProcessPaths(process: string) {
  const own = `${hostPaths.files}/${process}`;
  return {
    own,
    file: (key: string) => `${own}/${key}`,
    data: dataOf(process),
    /** A link to the program, so that processes show under their own names and a version is taken up at one moment. */
    link: `${hostPaths.links}/${process}`,
    unit: unitOf(process),
    unitFile: `${hostPaths.units}/${unitOf(process)}`,
  };
}

/** Where the data of a process are: at their usual place, else below its name in a directory, to which that place is a link then. */
export const dataOf = (process: string, directory?: string): string => `${directory ?? hostPaths.data}/${process}`;

/** `karmada-etcd-0.service`. */
export const unitOf = (process: string): string => `${prefixed(process)}.service`;

/**
 * The user a kind of program runs as, with a group of the same name: `karmada-etcd`. Linux allows 32 characters
 * (useradd(8)); upstream's longest name, karmada-scheduler-estimator, has 27.
 */
export const userOf = (component: string): string => prefixed(component).slice(0, 32);

const prefixed = (name: string): string => (name.startsWith("karmada-") ? name : `karmada-${name}`);

/** Where the content with a digest is as a program. One that is named by a path came with the host. */
export const programPath = (sha256: string, name: string): string =>
  name.startsWith("/") ? name : `${hostPaths.programs}/${sha256}/${name}`;
