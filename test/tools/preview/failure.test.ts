import { describe, expect, it } from "vitest";
import { type LogMessage } from "../../../tools/preview/engine/recording";
import { failureOf } from "../../../tools/preview/failure";

const root = "/home/someone/serving";
const error = (message: string): LogMessage => ({ severity: "error", message, urn: "" });
const ended = (exitCode: number | null, stderr = "") => ({ exitCode, stderr, stdout: "" });
const failure = (logs: LogMessage[], exitCode: number | null = 32, stderr = "") =>
  failureOf(ended(exitCode, stderr), logs, "serving", root);

describe("the failure of a program", () => {
  it("is none when it ended well and logged no error", () => {
    expect(failure([{ severity: "warning", message: "careful", urn: "" }], 0)).toBeUndefined();
  });

  it("is one even when it ended well but logged an error, as with Pulumi", () => {
    expect(failure([error("no quota")], 0)).toEqual({ kind: "program", messages: ["no quota"] });
  });

  it("keeps the message and the user's own frames, with paths relative to the project", () => {
    const message = [
      `Running program '${root}/index.ts' failed with an unhandled exception:`,
      "TypeError: pool is undefined",
      `    at size \u001b[90m(${root}/\u001b[39mcore/pools.ts:12:5\u001b[90m)\u001b[39m`,
      `    at Object.<anonymous> (${root}/node_modules/@pulumi/output.ts:516:31)`,
      "\u001b[90m    at Module._compile (node:internal/modules/cjs/loader:1521:14)\u001b[39m",
      `    at async ${root}/index.ts:3:1 {`,
      "  promise: Promise { <rejected> [Circular *1] }",
      "}",
    ].join("\n");
    expect(failure([error(message)])).toEqual({
      kind: "program",
      messages: ["TypeError: pool is undefined\n    at size (core/pools.ts:12:5)\n    at async index.ts:3:1"],
    });
  });

  it("tells the same error once", () => {
    expect(failure([error("a"), error("b"), error("a")])?.messages).toEqual(["a", "b"]);
  });

  it("is the configuration's when every error names keys", () => {
    const problems =
      "The configuration has 2 problems:\n  serving:gpuPools[0].vmSize: retired\n  serving:suffix: missing";
    expect(failure([error(problems)])).toEqual({ kind: "configuration", messages: [problems] });
    expect(failure([error("Missing required configuration variable 'serving:suffix'")])?.kind).toBe("configuration");
    expect(failure([error(problems), error("TypeError: x")])?.kind).toBe("program");
    expect(failure([error("serving: nothing here names a key")])?.kind).toBe("program");
  });

  it("is the configuration's also when the error was no RunError", () => {
    const message = `Running program '${root}/index.ts' failed with an unhandled exception:\nConfigurationError: serving:suffix: missing\n    at x (${root}/config/index.ts:1:1)`;
    expect(failure([error(message)])?.kind).toBe("configuration");
  });

  it("without a word is told by exit code and standard error", () => {
    expect(failure([], 7, "the disk is full\n")?.messages).toEqual([
      "the program ended with exit code 7:\nthe disk is full",
    ]);
    expect(failure([], null)?.messages).toEqual(["the program was ended by a signal and said nothing"]);
  });
});
