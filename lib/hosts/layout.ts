/**
 * Where things are on a host. A deployment has a host to itself: its programs listen on well-known ports. Everything
 * belongs to root; each program reads its own files through the group of its user.
 */
export const hostPaths = {
  /** Configuration and certificates: `<process>/<file>`. */
  files: "/etc/karmada",
  /** The name of the deployment that has the host. */
  deployment: "/etc/karmada/deployment",
  /** What survives restarts: `<process>/`. */
  data: "/var/lib/karmada",
  /** Programs by content, `<sha256>/<name>`: those already there before a deployment arrives need not be sent. */
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
    /** A link to the program, so that processes show under their own names and a version changes atomically. */
    link: `${hostPaths.links}/${process}`,
    unit: unitOf(process),
    unitFile: `${hostPaths.units}/${unitOf(process)}`,
  };
}

/** Directory with the data of a process. With `directory` it lies below that, and the usual place is a link to it. */
export const dataOf = (process: string, directory?: string): string => `${directory ?? hostPaths.data}/${process}`;

/** `karmada-etcd-0.service`. */
export const unitOf = (process: string): string => `${prefixed(process)}.service`;

/**
 * The user a kind of program runs as, with a group of the same name: `karmada-etcd`. Linux allows 32 characters
 * (useradd(8)); upstream's longest name, karmada-scheduler-estimator, has 27.
 */
export const userOf = (component: string): string => prefixed(component).slice(0, 32);

const prefixed = (name: string): string => (name.startsWith("karmada-") ? name : `karmada-${name}`);

/** Path of the program with a digest. A name that is itself a path is that of a program that came with the host. */
export const programPath = (sha256: string, name: string): string =>
  name.startsWith("/") ? name : `${hostPaths.programs}/${sha256}/${name}`;
