import { describe, expect, it } from "vitest";
import { type Values } from "../support/helm";
import { optionOf, optionsOf, renderPod } from "./rendered";

const optionsWith = async (values: Values) => optionsOf((await renderPod(values)).container);
const triton = (values: Values) => optionsWith({ triton: values });

describe("arguments of tritonserver", () => {
  it("say what Triton does by default, so that a new release of it changes nothing by surprise", async () => {
    expect(await optionsWith({ modelRepository: { url: "s3://bucket/models" } })).toEqual([
      "--model-repository=s3://bucket/models",
      "--model-control-mode=none",
      "--model-load-thread-count=4",
      "--exit-on-error=true",
      "--strict-readiness=true",
      "--exit-timeout-secs=30",
      "--log-format=ISO8601",
      "--log-verbose=0",
      "--rate-limit=off",
      "--grpc-max-connection-age=10000",
      "--allow-metrics=true",
      "--metrics-interval-ms=2000",
    ]);
  });

  it.each([
    "as://account/container",
    "as://account/container/releases/r1",
    "gs://bucket",
    "gs://bucket/models",
    "s3://bucket/models",
    "s3://https://minio.storage:9000/bucket/models",
    "/models",
  ])("T5: name the repository as it is written: %s", async (url) => {
    expect(await optionsWith({ modelRepository: { url } })).toContain(`--model-repository=${url}`);
  });

  it.each([true, false])("K15: always say whether a bad model ends the server: %s", async (exitOnError) => {
    expect(await triton({ exitOnError })).toContain(`--exit-on-error=${exitOnError}`);
  });

  it("load the listed models, with explicit control", async () => {
    const { container } = await renderPod({ triton: { modelControlMode: "explicit", loadModels: ["a", "b"] } });
    expect(optionOf(container, "model-control-mode")).toEqual(["explicit"]);
    expect(optionOf(container, "load-model")).toEqual(["a", "b"]);
  });

  it("T7: poll a mounted repository once a minute at most", async () => {
    const options = await optionsWith({ modelRepository: { url: "/models" }, triton: { modelControlMode: "poll" } });
    expect(options).toContain("--repository-poll-secs=60");
  });

  it("size the response cache by the option that is not deprecated", async () => {
    expect(await triton({ responseCacheBytes: 1073741824 })).toContain("--cache-config=local,size=1073741824");
    expect((await triton({})).join()).not.toContain("cache");
  });

  it("write large numbers in full", async () => {
    const options = await triton({ pinnedMemoryPoolBytes: 1234567890, responseCacheBytes: 3000000000 });
    expect(options).toContain("--pinned-memory-pool-byte-size=1234567890");
    expect(options).toContain("--cache-config=local,size=3000000000");
  });

  it("give each GPU its memory pool", async () => {
    const { container } = await renderPod({ gpus: 2, triton: { cudaMemoryPoolBytes: 268435456 } });
    expect(optionOf(container, "cuda-memory-pool-byte-size")).toEqual(["0:268435456", "1:268435456"]);
  });

  it("close gRPC connections before the pod that they lead to ends, unless told otherwise", async () => {
    const age = async (values: Values) => {
      const { container } = await renderPod(values);
      return optionOf(container, "grpc-max-connection-age");
    };
    expect(await age({})).toEqual(["10000"]);
    expect(await age({ shutdown: { preStopSeconds: 1 } })).toEqual(["666"]);
    expect(await age({ triton: { grpcMaxConnectionAgeSeconds: 0 } })).toEqual([]);
  });

  it("take 0 for a number and not for nothing", async () => {
    const options = await triton({ pinnedMemoryPoolBytes: 0, cudaMemoryPoolBytes: 0 });
    expect(options).toContain("--pinned-memory-pool-byte-size=0");
    expect(options).toContain("--cuda-memory-pool-byte-size=0:0");
  });

  it.each([
    [{ modelLoadThreads: 8 }, "--model-load-thread-count=8"],
    [{ strictReadiness: false }, "--strict-readiness=false"],
    [{ logFormat: "default" }, "--log-format=default"],
    [{ logVerbose: 2 }, "--log-verbose=2"],
    [{ rateLimiter: "execution_count" }, "--rate-limit=execution_count"],
    [{ rateLimitResources: ["R1:4:0"] }, "--rate-limit-resource=R1:4:0"],
    [{ httpThreadCount: 16 }, "--http-thread-count=16"],
    [{ grpcMaxConnectionAgeSeconds: 120 }, "--grpc-max-connection-age=120000"],
    [
      { backendConfig: ["python,shm-default-byte-size=16777216"] },
      "--backend-config=python,shm-default-byte-size=16777216",
    ],
    [{ metrics: { intervalMilliseconds: 5000 } }, "--metrics-interval-ms=5000"],
    [{ metrics: { summaryLatencies: true } }, "--metrics-config=summary_latencies=true"],
    [{ metrics: { config: ["histogram_latencies=true"] } }, "--metrics-config=histogram_latencies=true"],
    [{ extraArgs: ["--model-config-name=a100"] }, "--model-config-name=a100"],
  ])("%j becomes %s", async (values, option) => {
    expect(await triton(values)).toContain(option);
  });

  it("switch the metrics off with their port", async () => {
    const { container } = await renderPod({ triton: { metrics: { enabled: false } } });
    expect(optionsOf(container).filter((option) => option.includes("metrics"))).toEqual(["--allow-metrics=false"]);
    expect(container.ports.map(({ name }) => name)).toEqual(["http", "grpc"]);
  });
});

describe("restricted APIs", () => {
  const restrictedApis = { apis: ["model-repository", "logging"], secretName: "admin", secretKey: "key" };

  it("take their key from a Secret, for HTTP and gRPC alike", async () => {
    const { container } = await renderPod({ triton: { restrictedApis } });
    const restriction = "model-repository,logging:triton-admin-key=$(TRITON_ADMIN_KEY)";
    expect(optionOf(container, "http-restricted-api")).toEqual([restriction]);
    expect(optionOf(container, "grpc-restricted-protocol")).toEqual([restriction]);
    expect(container.env).toContainEqual({
      name: "TRITON_ADMIN_KEY",
      valueFrom: { secretKeyRef: { name: "admin", key: "key" } },
    });
  });

  it("are open unless named, without a Secret", async () => {
    const { container } = await renderPod();
    expect(optionsOf(container).join()).not.toContain("restricted");
    expect(container.env.map(({ name }) => name)).not.toContain("TRITON_ADMIN_KEY");
  });
});
