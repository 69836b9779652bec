import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { GrpcInference, inferHttp } from "./inference";
import { Traffic } from "./traffic";

/** Answers by their factor, of both protocols together. */
export type Answers = ReadonlyMap<string, number>;

const query = { model: "gain", input: "INPUT", rows: [[1, 10]] };

/** The factor of an answer of the model `gain`; fails when the values are no multiple of what was sent. */
function factorOf(values: readonly number[]): string {
  const [one = NaN, ten = NaN] = values;
  assert.ok(values.length === 2 && ten === 10 * one, `no multiple of [1, 10]: ${values.join(", ")}`);
  return String(one);
}

/**
 * Constant load of the model `gain` while `work` runs: over HTTP with a connection for each request, over gRPC with one
 * channel for all, which is how applications use them. Fails when any request did.
 */
export async function underLoad(work: () => Promise<unknown>): Promise<Answers> {
  const client = new GrpcInference();
  const loads = [
    new Traffic(async () => factorOf((await inferHttp(query)).values), { clients: 2 }),
    new Traffic(async () => factorOf((await client.infer(query)).values), { clients: 2 }),
  ];
  try {
    await work();
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    client.close();
  }
  const tallies = loads.map(({ tally }) => tally);
  const failures = tallies.flatMap(({ failures }) => failures);
  assert.deepEqual(failures.slice(0, 5), [], `${String(failures.length)} requests failed`);
  const answers = new Map<string, number>();
  for (const [factor, count] of tallies.flatMap(({ answers }) => [...answers])) {
    answers.set(factor, (answers.get(factor) ?? 0) + count);
  }
  return answers;
}

/** Load as of `underLoad` by clients that try again for a while, for what costs requests on their way to a dead replica. */
export async function underPatientLoad(work: () => Promise<unknown>): Promise<void> {
  const traffic = new Traffic(async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await currentFactor();
      } catch (error) {
        if (attempt === patience) throw error;
        await pause(200);
      }
    }
  });
  try {
    await work();
  } finally {
    await traffic.stop();
  }
  assert.deepEqual(traffic.tally.failures, []);
  assert.ok(traffic.tally.answered > 0);
}

/** Of two replicas one is dead: the next attempt reaches the other in half of all cases. */
const patience = 12;

/** One answer's factor. */
export const currentFactor = async (): Promise<string> => factorOf((await inferHttp(query)).values);
