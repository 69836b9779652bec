import * as fs from "node:fs";
import * as path from "node:path";
import { accountKey } from "../../tools/preview/engine";
import { BlobClient } from "./parts/lib/blob-client";

/** A model as a release's folder holds it, and as the stack file names it. */
export interface Model {
  readonly name: string;
  readonly versions: readonly number[];
  readonly backend: string;
  /** Contents by path below the model's folder. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Release {
  readonly id: string;
  readonly models: readonly Model[];
}

const examples = path.resolve(__dirname, "..", "..", "examples", "models");

/** The sample model of two versions: 1 scales a row to 0..1, 2 to mean 0 and standard deviation 1. */
export const featureScaler: Model = {
  name: "feature-scaler",
  versions: [1, 2],
  backend: "python",
  files: Object.fromEntries(
    fs
      .readdirSync(path.join(examples, "feature-scaler"), { recursive: true, encoding: "utf8" })
      .filter((file) => fs.statSync(path.join(examples, "feature-scaler", file)).isFile())
      .map((file) => [file, fs.readFileSync(path.join(examples, "feature-scaler", file), "utf8")]),
  ),
};

/** A model of one input INPUT and one output OUTPUT, of any shape, that computes `result` from the array `values`. */
const pythonModel = (name: string, result: string): Model => ({
  name,
  versions: [1],
  backend: "python",
  files: {
    "config.pbtxt": `backend: "python"
max_batch_size: 16
input [{ name: "INPUT", data_type: TYPE_FP32, dims: [ -1 ] }]
output [{ name: "OUTPUT", data_type: TYPE_FP32, dims: [ -1 ] }]
dynamic_batching { max_queue_delay_microseconds: 1000 }
`,
    "1/model.py": `import time
import triton_python_backend_utils as pb_utils


def busy(milliseconds, values):
    end = time.monotonic() + milliseconds / 1000
    while time.monotonic() < end:
        pass
    return values


def late(milliseconds, values):
    time.sleep(milliseconds / 1000)
    return values


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", ${result})]) for values in inputs]
`,
  },
});

/** A model that multiplies by a factor, so that an answer tells which release gave it; with a wait for each request if asked. */
export const gain = (factor: number, options: { readonly milliseconds?: number } = {}): Model =>
  pythonModel("gain", `late(${String(options.milliseconds ?? 0)}, values * ${String(factor)})`);

/** A model that keeps a core busy for each request. */
export const busy = (milliseconds: number): Model => pythonModel("busy", `busy(${String(milliseconds)}, values)`);

/** The same model with a configuration that Triton cannot read. */
export const brokenGain: Model = {
  ...gain(1),
  files: { ...gain(1).files, "config.pbtxt": 'backend: "python"\nmax_batch_size: many\n' },
};

/** The entry of `triton-azure:releases`. */
export const releaseEntry = ({ id, models }: Release) => ({
  id,
  sizeBytes: models.flatMap(({ files }) => Object.values(files)).reduce((sum, text) => sum + text.length, 0),
  models: models.map(({ name, versions, backend }) => ({ name, versions, backend })),
});

/** Uploads a release to an account's container, file by file. */
export async function publish(account: string, { id, models }: Release): Promise<void> {
  const blobs = new BlobClient(account, accountKey);
  for (const { name, files } of models) {
    for (const [file, text] of Object.entries(files)) {
      await blobs.putBlob("model-repository", `releases/${id}/${name}/${file}`, text);
    }
  }
}
