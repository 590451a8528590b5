import type { Progress } from "./progress.ts";

/** Where progress goes; `process.stderr` is one. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface Line {
  progress: Progress;
  readonly since: number;
}

/**
 * Shows what each subject is doing, how far it is and for how long: one line each, redrawn, on a terminal; elsewhere a
 * line when a step begins or ends, and every 15 s one with all that still goes on.
 */
export class Display {
  readonly #screen: Screen;
  readonly #start = performance.now();
  readonly #lines = new Map<string, Line>();
  readonly #timer: NodeJS.Timeout;
  #drawn = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#timer = setInterval(() => this.#tick(), screen.isTTY ? 100 : 15_000);
    this.#timer.unref();
  }

  show(progress: Progress): void {
    const { subject, step, finished } = progress;
    if (finished === "left") return void this.#lines.delete(subject);
    const before = this.#lines.get(subject);
    if (finished) this.#lines.delete(subject);
    else if (before?.progress.step === step) before.progress = progress;
    else this.#lines.set(subject, { progress, since: performance.now() });
    if (before?.progress.step === step && !finished) return;
    if (step === "done" && finished === "ok") return;
    if (!this.#screen.isTTY) this.#write(`${this.#elapsed()} ${describe(progress)}`);
    else if (finished) this.#draw(`${this.#elapsed()} ${describe(progress)}`);
  }

  /** Stops, and leaves only what finished on the terminal. */
  close(): void {
    clearInterval(this.#timer);
    this.#lines.clear();
    if (this.#screen.isTTY) this.#draw();
  }

  #tick(): void {
    if (this.#screen.isTTY) return this.#draw();
    const going = [...this.#lines.values()].map(({ progress }) => describe(progress));
    if (going.length > 0) this.#write(`${this.#elapsed()} ${going.join("; ")}`);
  }

  #draw(above?: string): void {
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A` : "";
    const now = performance.now();
    const lines = [...this.#lines.values()].map(
      ({ progress, since }) => `${describe(progress)}, ${((now - since) / 1000).toFixed(0)}s`,
    );
    const width = (this.#screen.columns ?? 80) - 1;
    const text = [...(above === undefined ? [] : [above]), ...lines].map((line) => `\x1b[2K${line.slice(0, width)}\n`);
    this.#screen.write(`${up}${text.join("")}\x1b[J`);
    this.#drawn = lines.length;
  }

  #write(line: string): void {
    this.#screen.write(`${line}\n`);
  }

  #elapsed(): string {
    return `${((performance.now() - this.#start) / 1000).toFixed(1)}s`.padStart(7);
  }
}

/** For instance `kubernetes-1.35.3: build 120 of 1400 packages`. */
export function describe({ subject, step, done, total, unit }: Progress): string {
  if (done === undefined) return `${subject}: ${step}`;
  const scale = unit === "bytes" ? 1e6 : 1;
  const digits = unit === "bytes" ? 1 : 0;
  const counted = [done, ...(total === undefined ? [] : [total])].map((n) => (n / scale).toFixed(digits)).join(" of ");
  return `${subject}: ${step} ${counted} ${unit === "bytes" ? "MB" : (unit ?? "")}`;
}
