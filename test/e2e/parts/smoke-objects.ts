import { type KubernetesObject } from "./lib/kubernetes-api";

/** Objects of the smoke test, made by hand: as little as shows Triton at work, with a GPU node's taint and the chart's hardening. */

export const account = "smokemodels";
export const container = "model-repository";
export const tritonImageName = "nvcr.io/nvidia/tritonserver:26.07-py3";

const release = "releases/smoke";

/** A Python model that doubles its input, by blob name. */
export const modelFiles: Readonly<Record<string, string>> = {
  [`${release}/doubler/config.pbtxt`]: `backend: "python"
max_batch_size: 8
input [{ name: "INPUT", data_type: TYPE_FP32, dims: [ 3 ] }]
output [{ name: "OUTPUT", data_type: TYPE_FP32, dims: [ 3 ] }]
`,
  [`${release}/doubler/1/model.py`]: `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values * 2)]))
        return responses
`,
};

const labels = { app: "triton" };

/** Secret, Deployment of two replicas on different nodes, and Service. */
export function tritonObjects(key: string): KubernetesObject[] {
  const probe = (path: string) => ({ httpGet: { path, port: 8000 }, periodSeconds: 2, failureThreshold: 60 });
  const triton = {
    name: "triton",
    image: tritonImageName,
    args: [
      "tritonserver",
      `--model-repository=as://${account}/${container}/${release}`,
      "--model-control-mode=none",
      "--strict-readiness=true",
    ],
    env: [
      { name: "AZURE_STORAGE_ACCOUNT", value: account },
      { name: "AZURE_STORAGE_KEY", valueFrom: { secretKeyRef: { name: "storage-key", key: "key" } } },
    ],
    resources: { limits: { "nvidia.com/gpu": "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "512Mi" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
    startupProbe: probe("/v2/health/live"),
    readinessProbe: probe("/v2/health/ready"),
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      { name: "shm", mountPath: "/dev/shm" },
    ],
  };
  const pod = {
    automountServiceAccountToken: false,
    containers: [triton],
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
    terminationGracePeriodSeconds: 5,
    tolerations: [{ key: "sku", operator: "Equal", value: "gpu", effect: "NoSchedule" }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: labels },
      },
    ],
    volumes: [
      { name: "tmp", emptyDir: {} },
      { name: "shm", emptyDir: { medium: "Memory", sizeLimit: "128Mi" } },
    ],
  };
  const metadata = { name: "triton", namespace: "default" };
  return [
    { apiVersion: "v1", kind: "Secret", metadata: { name: "storage-key", namespace: "default" }, stringData: { key } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        selector: labels,
        ports: [
          { name: "http", port: 8000 },
          { name: "grpc", port: 8001 },
        ],
      },
    },
  ];
}
