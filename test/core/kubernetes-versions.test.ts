import { describe, expect, it } from "vitest";
import {
  defaultKubernetesVersion,
  isPatchPin,
  kubernetesSupport,
  kubernetesVersionsAsOf,
  supportedKubernetesVersions,
} from "../../core/kubernetes-versions";

describe("kubernetesSupport", () => {
  it.each([
    ["1.28", { status: "retired", minor: "1.28" }],
    ["1.29", { status: "retired", minor: "1.29", endOfSupport: "2025-03-31" }],
    ["1.31", { status: "retired", minor: "1.31", endOfSupport: "2025-11-01" }],
    ["1.32", { status: "lts-only", minor: "1.32", endOfSupport: "2026-03-31" }],
    ["1.34", { status: "lts-only", minor: "1.34", endOfSupport: "2026-11-30" }],
    ["1.35", { status: "supported", minor: "1.35", endOfSupport: "2027-03-31" }],
    ["1.36", { status: "supported", minor: "1.36", endOfSupport: "2027-06-30" }],
    ["1.37", { status: "preview", minor: "1.37" }],
    ["1.99", { status: "unknown", minor: "1.99" }],
    ["2.0", { status: "unknown", minor: "2.0" }],
    ["latest", { status: "unknown", minor: "latest" }],
    ["v1.35", { status: "unknown", minor: "v1.35" }],
  ])("A11: %s is %o", (version, support) => {
    expect(kubernetesSupport(version)).toEqual(support);
  });

  it("answers for a patch as for its minor version", () => {
    for (const minor of ["1.28", "1.31", "1.34", "1.35", "1.37", "1.99"]) {
      expect(kubernetesSupport(`${minor}.4`)).toEqual(kubernetesSupport(minor));
    }
  });

  it.each([
    ["2026-11-30", "supported"],
    ["2026-12-01", "lts-only"],
    ["2027-11-30", "lts-only"],
    ["2027-12-01", "retired"],
  ])("1.34 on %s is %s: the last day still counts", (on, status) => {
    expect(kubernetesSupport("1.34", on).status).toBe(status);
  });
});

describe("isPatchPin", () => {
  it.each([
    ["1.34.2", true],
    ["1.35", false],
    ["1.35.", false],
    ["latest", false],
  ])("A11: %s -> %s", (version, pin) => {
    expect(isPatchPin(version)).toBe(pin);
  });
});

describe("the default version", () => {
  it("is a minor version in standard support, and none keeps it longer", () => {
    expect(isPatchPin(defaultKubernetesVersion)).toBe(false);
    expect(supportedKubernetesVersions).toContain(defaultKubernetesVersion);
    const end = (version: string) => kubernetesSupport(version).endOfSupport ?? "";
    for (const version of supportedKubernetesVersions) {
      expect(end(version) <= end(defaultKubernetesVersion)).toBe(true);
    }
  });

  it("is chosen on a day that the table states", () => {
    expect(new Date(kubernetesVersionsAsOf).toISOString().slice(0, 10)).toBe(kubernetesVersionsAsOf);
    expect(supportedKubernetesVersions).toEqual(["1.35", "1.36"]);
  });
});
