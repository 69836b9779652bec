import { type World } from "./world";

/** Promises of the program, kept or broken. Steps share what came before them; a scenario starts with an empty Azure. */
export interface Scenario {
  /** It waits for minutes, so `--quick` leaves it out. Default: false. */
  readonly slow?: boolean;
  readonly steps: readonly Step[];
}

export interface Step {
  /** What is promised, as a sentence. */
  readonly promise: string;
  /** Fails by throwing; the scenario's later steps are then not run, and count as failed. */
  readonly run: (world: World) => Promise<void>;
}
