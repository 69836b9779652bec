import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ownedOption, ownedTritonOptions } from "../../core/triton-options";

describe("options that typed values own", () => {
  it("are the same here and in the chart", () => {
    const template = readFileSync("charts/triton/templates/_arguments.tpl", "utf8");
    const owned = /define "triton\.ownedOptions" -\}\}\s+([\s\S]*?)\s*\{\{- end/.exec(template)?.[1]?.split(/\s+/);
    expect(ownedTritonOptions).toEqual(owned);
  });

  it("are known by their whole name and by an abbreviation; others are free", () => {
    expect(ownedOption("--model-control-mode=poll")).toBe("model-control-mode");
    expect(ownedOption("--exit-on-err=false")).toBe("exit-on-error");
    expect(ownedOption("--trace-config=level=TIMESTAMPS")).toBeUndefined();
  });
});
