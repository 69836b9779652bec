import { z } from "zod";
import { defaultTritonTag } from "../core/triton-image";
import { cpuQuantity, memoryQuantity } from "./scalars";

const image = z
  .strictObject({
    repository: z.string().min(1).default("nvcr.io/nvidia/tritonserver").describe("Image without tag."),
    tag: z
      .string()
      .regex(/^[\w][\w.-]{0,127}$/, "write an image tag, such as 26.07-py3")
      .refine((tag) => tag !== "latest", "pin a release, such as 26.07-py3: `latest` changes under running pods")
      .default(defaultTritonTag)
      .describe("Image tag, never `latest`."),
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, "write a digest as sha256: and 64 hexadecimal digits")
      .optional()
      .describe("Image digest; wins over the tag."),
  })
  .prefault({});

const resources = z
  .strictObject({
    gpus: z.int().min(0).max(16).default(1).describe("GPUs of each replica; 0 runs on the CPU."),
    gpuResource: z
      .string()
      .regex(/^nvidia\.com\/[a-z0-9.-]+$/, "write a resource of the NVIDIA device plugin, such as nvidia.com/gpu")
      .default("nvidia.com/gpu")
      .describe("Name of the GPU resource; a MIG slice's own name with `cluster.migStrategy: mixed`."),
    cpu: cpuQuantity.default("2").describe("CPU request of each replica."),
    memory: memoryQuantity
      .default("12Gi")
      .describe("Memory request and limit of each replica, shared memory included."),
    sharedMemory: memoryQuantity
      .default("1Gi")
      .describe("Size of /dev/shm; Python models need 64 MiB or more for each instance."),
  })
  .prefault({});

const startup = z
  .strictObject({
    nodeSeconds: z.int().min(0).max(86_400).default(600).describe("Time for a new GPU node."),
    pullSeconds: z.int().min(0).max(86_400).default(480).describe("Time to pull and unpack the image."),
    propagationSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(600)
      .describe("Time for new rights to be honoured everywhere."),
    downloadMiBps: z.number().positive().default(40).describe("Rate at which Triton copies models, in MiB/s."),
    perModelSeconds: z.number().min(0).default(30).describe("Time to initialise one model."),
    budgetSeconds: z
      .int()
      .min(10)
      .max(86_400)
      .optional()
      .describe("Start-up probe's budget; computed from the release's size and the times above unless set."),
  })
  .prefault({});

export const triton = z
  .strictObject({
    image: image.describe("Container image."),
    resources: resources.describe("Resources of each replica."),
    startup: startup.describe("Times from which probes and deadlines are computed, in seconds."),
    modelControlMode: z
      .enum(["none", "explicit", "poll"])
      .default("none")
      .describe(
        "`none` loads the whole release at start; `explicit` loads `loadModels`. `poll` is refused: it sees no change in Blob Storage.",
      ),
    loadModels: z.array(z.string().min(1)).default([]).describe("Models to load at start, with `explicit`."),
    exitOnError: z
      .boolean()
      .default(true)
      .describe("Whether a model that fails to load stops the server, and so the roll-out of its release."),
    strictReadiness: z.boolean().default(true).describe("Whether a replica is ready only when all its models are."),
    exitTimeoutSeconds: z.int().min(1).max(3600).default(30).describe("Time for running requests to end on shutdown."),
    preStopSeconds: z.int().min(1).max(600).default(15).describe("Time between leaving the Service and shutting down."),
    responseCacheBytes: z
      .int()
      .min(0)
      .default(0)
      .describe("Size of the response cache; 0 for none. Models opt in by `response_cache`."),
    logFormat: z.enum(["default", "ISO8601"]).default("ISO8601").describe("Time format of the server's log."),
    logVerbose: z.int().min(0).max(9).default(0).describe("Verbosity of the server's log."),
    rateLimiter: z.enum(["off", "execution_count"]).default("off").describe("Triton's rate limiter."),
    modelLoadThreads: z.int().min(1).max(64).default(4).describe("Threads that load models."),
    pinnedMemoryBytes: z.int().min(0).default(268_435_456).describe("Pinned host memory for transfers to the GPU."),
    restrictedApis: z
      .array(
        z.enum([
          "inference",
          "model-config",
          "model-repository",
          "metadata",
          "statistics",
          "shared-memory",
          "trace",
          "logging",
        ]),
      )
      .default([])
      .describe("APIs that need the key of `triton-azure:adminKey`; never `health`, which the probes need."),
    extraArgs: z
      .array(z.string().regex(/^--[a-z]/, "arguments begin with -- and a name"))
      .default([])
      .describe("Further arguments of `tritonserver`."),
  })
  .prefault({})
  .describe("Triton Inference Server of each region.");
