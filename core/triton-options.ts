/**
 * Options of `tritonserver` that typed values of the chart set; a further argument must not set them again. The chart
 * refuses them too (`triton.ownedOptions` in its templates), but only once a cluster is there.
 */
export const ownedTritonOptions: readonly string[] = [
  ...["model-repository", "model-store", "model-control-mode", "load-model", "repository-poll-secs"],
  ...["model-load-thread-count", "exit-on-error", "strict-readiness", "exit-timeout-secs", "cache-config"],
  ...["response-cache-byte-size", "log-format", "log-verbose", "log-file", "rate-limit", "rate-limit-resource"],
  ...["pinned-memory-pool-byte-size", "cuda-memory-pool-byte-size", "allow-http", "http-address", "http-port"],
  ...["reuse-http-port", "http-thread-count", "http-restricted-api", "allow-grpc", "grpc-address", "grpc-port"],
  ...["reuse-grpc-port", "grpc-max-connection-age", "grpc-restricted-protocol", "allow-metrics", "metrics-address"],
  ...["metrics-port", "metrics-interval-ms", "metrics-config", "backend-config"],
];

/** The owned option that an argument sets, also by an abbreviation, which Triton takes; undefined when it sets none. */
export function ownedOption(argument: string): string | undefined {
  const name = argument.replace(/^--/, "").replace(/=.*$/s, "");
  return name === "" ? undefined : ownedTritonOptions.find((option) => option.startsWith(name));
}
