import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorLines } from "../../../components/kubernetes/container-log";

/** As Triton 2.51 prints it for a model whose `config.pbtxt` cannot be parsed, shortened. */
const unparsable = [
  `2026-01-01T00:00:01Z I 1 pinned_memory_manager.cc:277] "Pinned memory pool is created at '0x7f'"`,
  `2026-01-01T00:00:01Z E 1 cuda_memory_manager.cc:117] "Failed to create CUDA memory pool: CudaDriverHelper has not been initialized."`,
  `[libprotobuf ERROR /tmp/text_format.cc:337] Error parsing text-format inference.ModelConfig: 3:17: Expected integer for max_batch_size`,
  `2026-01-01T00:00:02Z E 1 model_repository_manager.cc:1460] "Poll failed for model directory 'gain': failed to read text proto from as://account/container"`,
  `+---------+---------+--------+`,
  `| Option  | Value   |`,
  `| strict_readiness | 1 |`,
  `error: creating server: Internal - failed to load all models`,
];

const table = [
  "+-------+---------+----------------------------------------+",
  "| Model | Version | Status                                 |",
  "+-------+---------+----------------------------------------+",
  "| good  | 1       | READY                                  |",
  "| gain  | 1       | UNAVAILABLE: Internal: ModuleNotFound  |",
  "|       |         | At: /models/gain/1/model.py(3)         |",
  "+-------+---------+----------------------------------------+",
];

describe("errorLines", () => {
  it("finds the cause ahead of Triton's table of options, and its last line", () => {
    expect(errorLines(unparsable.join("\n"))).toEqual([unparsable[2], unparsable[3], unparsable[7]]);
  });

  it("shows the models that are not available, with all lines of their reasons", () => {
    expect(errorLines(table.join("\n"))).toEqual([table[4], table[5]]);
  });

  it.each([
    "E1201 07:00:00.000001 1 model_lifecycle.cc:654] failed to load 'classifier' version 1",
    "ModuleNotFoundError: No module named 'numpy'",
    "torch.OutOfMemoryError: CUDA out of memory",
    "fatal: no space left on device",
    "2026-01-01 00:00:00 ERROR cannot start",
  ])("knows an error: %s", (line) => {
    expect(errorLines(`I1201 starting\n${line}\r\nI1201 ended`)).toEqual([line]);
  });

  it.each([
    "I1201 07:00:00.000001 1 server.cc:604] no errors",
    "W1201 07:00:00.000001 1 metrics.cc:1] deprecated",
    "E1201 07:00:00.000001 1 metrics.cc:9] DCGM unable to start",
    "| exit_on_error | 1 |",
    "",
  ])("takes for harmless: %s", (line) => {
    expect(errorLines(line)).toEqual([]);
  });

  it("says nothing twice, and 20 lines at most, the first first", () => {
    const line = (n: number) => `error: number ${n}`;
    const log = Array.from({ length: 60 }, (_, n) => line(Math.floor(n / 2)));
    expect(errorLines(log.join("\n"))).toEqual(Array.from({ length: 20 }, (_, n) => line(n)));
  });

  it("keeps lines whole and in order, whatever the log holds", () => {
    const line = fc.oneof(fc.string(), fc.constantFrom(...unparsable, ...table));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const log = lines.join("\n");
        const places = errorLines(log).map((found) => log.split("\n").findIndex((one) => one.trimEnd() === found));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places).not.toContain(-1);
      }),
    );
  });
});
