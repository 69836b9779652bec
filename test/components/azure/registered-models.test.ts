import { Workspace } from "@pulumi/azure-native/machinelearningservices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { azureMlVersion, datastoreUri, registerReleases } from "../../../components/azure/registered-models";
import { type Release, releaseIdPattern } from "../../../core/release";
import { type Run, runProgram, unknown } from "../../support/engine";
import { comesAfter } from "./support";

const classifier: Release["models"][number] = {
  name: "image.classifier",
  versions: [1, 3],
  platform: "onnxruntime_onnx",
  description: "Names what is in a picture.",
  tags: { team: "vision" },
};
const scaler: Release["models"][number] = { name: "feature-scaler", versions: [1], backend: "python", tags: {} };
const r1: Release = { id: "r1", sizeBytes: 1000, models: [classifier] };
const r2: Release = { id: "r2", sizeBytes: 2000, models: [classifier, scaler] };
const r3: Release = { id: "r3", sizeBytes: 3000, models: [scaler] };

const run = (releases: readonly Release[], dryRun = false) =>
  runProgram(
    () => {
      const workspace = new Workspace("workspace", { resourceGroupName: "group-shared", workspaceName: "ml-dev-ab12" });
      registerReleases(
        "ml",
        {
          resourceGroupName: "group-shared",
          workspaceName: workspace.name,
          datastoreUri: workspace.id.apply((id) => datastoreUri(id, "model_repository")),
          releases,
        },
        { dependsOn: workspace, deletedWith: workspace },
      );
    },
    { dryRun },
  );

const versionsOf = (result: Run) => new Map(result.all("ModelVersion").map(({ urn, inputs }) => [urn, inputs]));
const root =
  "azureml://subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/group-shared/workspaces/ml-dev-ab12/datastores/model_repository/paths";

describe("registered releases", () => {
  it("are Triton repositories, one version a release, by the long form of the address", async () => {
    const result = await run([r1, r2]);
    expect(result.one("ModelVersion", "ml-release-r2/triton-repository").inputs).toMatchObject({
      resourceGroupName: "group-shared",
      workspaceName: "ml-dev-ab12",
      name: "triton-repository",
      version: azureMlVersion("r2"),
      properties: {
        modelType: "triton_model",
        modelUri: `${root}/releases/r2`,
        description: "Release r2: image.classifier, feature-scaler.",
        tags: { release: "r2" },
        properties: { release: "r2", sizeBytes: "2000", models: "image.classifier,feature-scaler" },
      },
    });
  });

  it("register each model with tags, description and where it comes from", async () => {
    const result = await run([r2]);
    expect(result.one("ModelVersion", "ml-release-r2/image-classifier").inputs).toMatchObject({
      name: "image-classifier",
      version: azureMlVersion("r2"),
      properties: {
        modelType: "custom_model",
        modelUri: `${root}/releases/r2/image.classifier`,
        description: "Names what is in a picture.",
        tags: { team: "vision", release: "r2" },
        properties: { release: "r2", model: "image.classifier", versions: "1,3", platform: "onnxruntime_onnx" },
      },
    });
    expect(result.one("ModelVersion", "ml-release-r2/feature-scaler").inputs["properties"]).toMatchObject({
      description: "Model feature-scaler of release r2.",
      properties: { backend: "python" },
    });
  });

  it("have one container for each name, there before its versions", async () => {
    const result = await run([r1, r2, r3]);
    expect(result.all("ModelContainer").map(({ inputs }) => inputs["name"])).toEqual([
      "feature-scaler",
      "image-classifier",
      "triton-repository",
    ]);
    expect(result.all("ModelVersion")).toHaveLength(7);
    for (const version of result.all("ModelVersion")) {
      const container = result.all("ModelContainer").find(({ inputs }) => inputs["name"] === version.inputs["name"]);
      expect(container && comesAfter(result, version, container)).toBe(true);
    }
  });

  it("stay as they are when a release is published, pruned or moved in the list", async () => {
    const all = versionsOf(await run([r1, r2, r3]));
    for (const releases of [[r3, r2, r1], [r2, r3], [r2]]) {
      const some = versionsOf(await run(releases));
      expect(some.size).toBe(releases.reduce((sum, { models }) => sum + 1 + models.length, 0));
      for (const [urn, inputs] of some) expect(all.get(urn)).toEqual(inputs);
    }
  });

  it("are dropped one by one when pruned, and all at once with their workspace", async () => {
    const result = await run([r1]);
    const workspace = result.one("azure-native:machinelearningservices:Workspace").urn;
    for (const { options } of [...result.all("ModelVersion"), ...result.all("ModelContainer")]) {
      expect(options.deletedWith).toBe(workspace);
      expect(options.protect).toBeUndefined();
    }
  });

  it("never meet under one logical name, however ids and names are cut", async () => {
    const result = await run([
      { ...r1, id: "b-c", models: [{ ...scaler, name: "a" }] },
      { ...r1, id: "c", models: [{ ...scaler, name: "a-b" }] },
    ]);
    expect(result.all("ModelVersion")).toHaveLength(4);
  });

  it("are none without releases", async () => {
    expect((await run([])).all("ModelContainer")).toEqual([]);
  });

  it("refuse a model by the name of the repositories", async () => {
    await expect(run([{ ...r1, models: [{ ...scaler, name: "Triton.Repository" }] }])).rejects.toThrow(
      "releases: model Triton.Repository of release r1 has the name that stands for whole releases",
    );
  });

  it("show name and version in a plan before the workspace exists", async () => {
    const result = await run([r1], true);
    expect(result.one("ModelVersion", "ml-release-r1/image-classifier").inputs).toMatchObject({
      name: "image-classifier",
      version: azureMlVersion("r1"),
      properties: unknown,
    });
  });
});

describe("the version of a release in Azure ML", () => {
  it("is a positive integer of 32 bits, the same for the same id", () => {
    fc.assert(
      fc.property(fc.stringMatching(releaseIdPattern), (id) => {
        const version = azureMlVersion(id);
        expect(version).toMatch(/^[1-9]\d*$/);
        expect(Number(version)).toBeLessThan(2 ** 31);
        expect(azureMlVersion(id)).toBe(version);
      }),
    );
  });

  it("differs between releases, and never changes with the program", () => {
    const versions = Array.from({ length: 2000 }, (_, index) => azureMlVersion(`r${index}`));
    expect(new Set(versions).size).toBe(2000);
    expect(azureMlVersion("r1")).toMatchInlineSnapshot(`"786682630"`);
  });
});

describe("the address of a datastore", () => {
  it("is refused for what is no workspace", () => {
    expect(() => datastoreUri("/subscriptions/s/resourceGroups/g", "d")).toThrow("is not the resource id");
  });
});
