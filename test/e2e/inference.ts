import * as http from "node:http";
import * as path from "node:path";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { deadline } from "./parts/lib/deadline";

/** Name of Triton's Service in the cluster; one name in the sandbox as in a pod. */
export const service = "triton.triton.svc.cluster.local";

export interface Query {
  readonly model: string;
  /** Default: the highest that is served. */
  readonly version?: number;
  /** Name of the model's only input. */
  readonly input: string;
  /** Rows of equal length: a batch. */
  readonly rows: readonly (readonly number[])[];
}

export interface Answer {
  readonly version: number;
  /** Values of the model's only output, row after row. */
  readonly values: readonly number[];
}

/** Time for an answer. */
const answerMs = 10_000;

const tensor = ({ input, rows }: Query) => ({
  name: input,
  datatype: "FP32",
  shape: [rows.length, rows[0]?.length ?? 0],
});

/** One inference over HTTP, on a connection of its own. Fails on any answer but 200. */
export async function inferHttp(query: Query, host = service): Promise<Answer> {
  const version = query.version === undefined ? "" : `/versions/${String(query.version)}`;
  const { status, text } = await requestHttp("POST", `http://${host}:8000/v2/models/${query.model}${version}/infer`, {
    inputs: [{ ...tensor(query), data: query.rows.flat() }],
  });
  if (status !== 200) throw new Error(`HTTP ${String(status)}: ${text}`);
  const { model_version, outputs } = JSON.parse(text) as { model_version: string; outputs: { data: number[] }[] };
  return { version: Number(model_version), values: outputs[0]?.data ?? [] };
}

/** One request on a connection of its own, with 10 s for all of it. */
export function requestHttp(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { method, agent: false, headers, signal: AbortSignal.timeout(deadline(answerMs)) };
    const request = http.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface ModelInferResponse {
  readonly model_version: string;
  readonly raw_output_contents: readonly Buffer[];
}

type ModelInfer = (
  request: unknown,
  options: grpc.CallOptions,
  done: (error: grpc.ServiceError | null, response?: ModelInferResponse) => void,
) => void;

/** A gRPC client with one channel, as an application keeps it. `target` may name a headless Service, to balance over its pods. */
export class GrpcInference {
  private readonly client: grpc.Client & { ModelInfer: ModelInfer };

  constructor(target = `${service}:8001`, options: grpc.ChannelOptions = {}) {
    const definition = grpc.loadPackageDefinition(
      loadSync(path.join(__dirname, "inference.proto"), { keepCase: true, defaults: true }),
    );
    const { GRPCInferenceService } = definition["inference"] as unknown as {
      GRPCInferenceService: new (
        target: string,
        credentials: grpc.ChannelCredentials,
        options: grpc.ChannelOptions,
      ) => grpc.Client & { ModelInfer: ModelInfer };
    };
    this.client = new GRPCInferenceService(target, grpc.credentials.createInsecure(), options);
  }

  infer(query: Query): Promise<Answer> {
    const request = {
      model_name: query.model,
      model_version: query.version === undefined ? "" : String(query.version),
      inputs: [{ ...tensor(query), contents: { fp32_contents: query.rows.flat() } }],
    };
    return new Promise((resolve, reject) => {
      this.client.ModelInfer(request, { deadline: Date.now() + deadline(answerMs) }, (error, response) => {
        if (error !== null || response === undefined) {
          reject(error ?? new Error("gRPC gave no answer"));
          return;
        }
        const raw = response.raw_output_contents[0] ?? Buffer.alloc(0);
        const values = Array.from({ length: raw.length / 4 }, (_, index) => raw.readFloatLE(index * 4));
        resolve({ version: Number(response.model_version), values });
      });
    });
  }

  close(): void {
    this.client.close();
  }
}
