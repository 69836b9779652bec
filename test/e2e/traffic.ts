import { setTimeout as pause } from "node:timers/promises";

export interface TrafficOptions {
  /** Loops that send one request after the other. Default: 2. */
  readonly clients?: number;
  /** Pause of each after an answer. Default: 50. */
  readonly pauseMs?: number;
  /** When it ends by itself. Default: 600. */
  readonly atMostSeconds?: number;
}

export interface Tally {
  readonly answered: number;
  /** What went wrong, each with the seconds since the start. */
  readonly failures: readonly string[];
  /** Number of answers by what they were. */
  readonly answers: ReadonlyMap<string, number>;
}

/** Constant load: counts what each request answered, and goes on after a failure. */
export class Traffic {
  private readonly started = Date.now();
  private readonly failures: string[] = [];
  private readonly answers = new Map<string, number>();
  private readonly clients: Promise<void>[];
  private stopped = false;

  /** @param send makes one request and tells its answer; it fails when the answer is not the right one. */
  constructor(
    private readonly send: () => Promise<string>,
    options: TrafficOptions = {},
  ) {
    const { clients = 2, pauseMs = 50, atMostSeconds = 600 } = options;
    const end = this.started + atMostSeconds * 1000;
    this.clients = Array.from({ length: clients }, () => this.loop(pauseMs, end));
  }

  /** So far. */
  get tally(): Tally {
    const answered = [...this.answers.values()].reduce((sum, count) => sum + count, 0);
    return { answered, failures: this.failures, answers: this.answers };
  }

  async stop(): Promise<Tally> {
    this.stopped = true;
    await Promise.all(this.clients);
    return this.tally;
  }

  private async loop(pauseMs: number, end: number): Promise<void> {
    while (!this.stopped && Date.now() < end) {
      try {
        const answer = await this.send();
        this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
      } catch (error) {
        const seconds = ((Date.now() - this.started) / 1000).toFixed(1);
        this.failures.push(`${seconds} s: ${error instanceof Error ? error.message : String(error)}`);
      }
      await pause(pauseMs);
    }
  }
}
