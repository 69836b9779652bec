import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Run, runProgram } from "../../support/engine";
import { helmBinary } from "../../support/helm";
import { findHelm, writeManifests } from "../../../tools/preview/manifests";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "manifests-"));
const read = (file: string): unknown => parse(fs.readFileSync(file, "utf8"));

beforeAll(() => {
  const chart = path.join(root, "chart");
  fs.mkdirSync(path.join(chart, "templates"), { recursive: true });
  fs.writeFileSync(path.join(chart, "Chart.yaml"), "apiVersion: v2\nname: demo\nversion: 1.0.0\n");
  fs.writeFileSync(
    path.join(chart, "templates", "map.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }} }\ndata: { client: {{ .Values.client | quote }}, color: {{ kindOf .Values.color }} }\n",
  );
  fs.writeFileSync(
    path.join(chart, "values.schema.json"),
    JSON.stringify({ properties: { client: { type: "string", pattern: "^[0-9a-f-]*$" } } }),
  );
});
afterAll(() => {
  fs.rmSync(root, { recursive: true });
});

/** Two clusters with the same objects. */
function twoClusters(values: pulumi.Inputs): Promise<Run> {
  return runProgram(() => {
    for (const region of ["north", "south"]) {
      const provider = new k8s.Provider(region, { kubeconfig: "{}" });
      const opts = { provider };
      const metadata = { name: "triton", namespace: "serving" };
      const stringData = { TRITON_ADMIN_KEY: pulumi.secret("sentinel-admin") };
      new k8s.core.v1.Secret(`${region}-admin`, { metadata, stringData, data: { a: "c2VudGluZWw=" } }, opts);
      const unnamed = new k8s.core.v1.ConfigMap(`${region}-map`, { metadata: { labels: { a: "yes" } } }, opts);
      new k8s.core.v1.ConfigMap(`${region}-later`, { metadata, data: { id: unnamed.id } }, opts);
      new k8s.helm.v3.Release(`${region}-demo`, { chart: "./chart", name: "demo", namespace: "serving", values }, opts);
    }
    new k8s.helm.v3.Release("far", { chart: "cert-manager", repositoryOpts: { repo: "https://charts.example" } });
  });
}

describe("manifests", () => {
  it("are one file an object in a folder for each cluster, without secret texts", async () => {
    const run = await twoClusters({ color: "red" });
    const folder = path.join(root, "plain");
    const { files, notes } = writeManifests(run.resources, folder, root, undefined);
    expect(files.map((file) => path.relative(folder, file)).sort()).toEqual(
      ["north", "south"].flatMap((region) => [
        ...[`${region}/configmap-${region}-map.yaml`, `${region}/configmap-serving-triton.yaml`].sort(),
        `${region}/secret-serving-triton.yaml`,
      ]),
    );
    expect(read(path.join(folder, "north/secret-serving-triton.yaml"))).toEqual({
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "triton", namespace: "serving" } },
      data: { a: Buffer.from("<secret>").toString("base64") },
      stringData: { TRITON_ADMIN_KEY: "<secret>" },
    });
    expect(read(path.join(folder, "north/configmap-north-map.yaml"))).toMatchObject({
      metadata: { generateName: "north-map-", labels: { a: "yes" } },
    });
    expect(fs.readFileSync(path.join(folder, "north/configmap-north-map.yaml"), "utf8")).toContain('a: "yes"');
    expect(read(path.join(folder, "south/configmap-serving-triton.yaml"))).toMatchObject({
      data: { id: expect.stringMatching(/^default\/south-map-/) as string },
    });
    for (const file of files) expect(fs.readFileSync(file, "utf8")).not.toMatch(/sentinel|c2VudGluZWw/);
    expect(notes).toEqual([
      "far: chart cert-manager is not a local one and was not rendered",
      "demo: not rendered, no helm on PATH (or name the binary in HELM)",
      "demo: not rendered, no helm on PATH (or name the binary in HELM)",
    ]);
  });

  it("hold what Helm renders from local charts, secrets as placeholders", async () => {
    const run = await twoClusters({ color: "off", client: pulumi.secret("sentinel-client") });
    const folder = path.join(root, "rendered");
    const { files, notes } = writeManifests(run.resources, folder, root, helmBinary());
    const rendered = path.join(folder, "north", "release-serving-demo.yaml");
    expect(notes).toEqual(["far: chart cert-manager is not a local one and was not rendered"]);
    expect(files).toContain(rendered);
    expect(read(rendered)).toMatchObject({
      metadata: { name: "demo", namespace: "serving" },
      data: { client: "<secret>", color: "string" },
    });
  });

  it("tell what Helm says when a chart does not render", async () => {
    const run = await twoClusters({ client: "not hexadecimal", color: "red" });
    const { refused } = writeManifests(run.resources, path.join(root, "wrong"), root, helmBinary());
    expect(refused.join("\n")).toMatch(/demo: helm template failed: [^]*pattern/);
    const broken = writeManifests(run.resources, path.join(root, "none"), root, path.join(root, "no-helm"));
    expect(broken.notes.join("\n")).toMatch(/demo: not rendered, .*no-helm does not run/);
  });
});

describe("the Helm binary", () => {
  it("is the one named in HELM, else the first on PATH that can be executed", () => {
    const bin = path.join(root, "bin");
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, "helm"), "", { mode: 0o644 });
    expect(findHelm({ HELM: "/opt/helm", PATH: bin })).toBe("/opt/helm");
    expect(findHelm({ PATH: `/nowhere${path.delimiter}${bin}` })).toBeUndefined();
    fs.chmodSync(path.join(bin, "helm"), 0o755);
    expect(findHelm({ PATH: `/nowhere${path.delimiter}${bin}` })).toBe(path.join(bin, "helm"));
  });
});
