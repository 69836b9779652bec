import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chartDigest, tritonChart } from "../../../components/kubernetes/chart";
import { chartFolder } from "../../support/helm";

let copy: string;

beforeEach(() => {
  copy = join(mkdtempSync(join(tmpdir(), "chart-")), "triton");
  cpSync(chartFolder, copy, { recursive: true });
});
afterEach(() => {
  rmSync(join(copy, ".."), { recursive: true });
});

describe("chartDigest", () => {
  it("P8: is the same in every checkout", () => {
    expect(chartDigest(copy)).toBe(chartDigest());
    expect(tritonChart).toMatch(/^\.\//);
  });

  it.each([
    "templates/deployment.yaml",
    "templates/_helpers.tpl",
    "values.yaml",
    "Chart.yaml",
    "files/inference_test.py",
  ])("changes with %s", (file) => {
    writeFileSync(join(copy, file), "# edited\n", { flag: "a" });
    expect(chartDigest(copy)).not.toBe(chartDigest());
  });

  it("changes with a new file, also in a new folder, and with a renamed one", () => {
    mkdirSync(join(copy, "crds"));
    writeFileSync(join(copy, "crds/one.yaml"), "one: 1\n");
    const one = chartDigest(copy);
    expect(one).not.toBe(chartDigest());
    cpSync(join(copy, "crds/one.yaml"), join(copy, "crds/two.yaml"));
    rmSync(join(copy, "crds/one.yaml"));
    expect(chartDigest(copy)).not.toBe(one);
  });

  it.each(["README.md", ".helmignore", "templates/.deployment.yaml.swp", "notes.tmp"])(
    "does not change with %s, which no object is rendered from",
    (file) => {
      writeFileSync(join(copy, file), "edited\n", { flag: "a" });
      expect(chartDigest(copy)).toBe(chartDigest());
    },
  );
});
