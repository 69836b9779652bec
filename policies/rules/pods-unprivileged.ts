import { isFields, type Inputs } from "../support/inputs";
import { containersOf, imageParts, podSpec, workloads } from "../support/pods";
import { resourceRule } from "../support/rule";
import { tritonValues } from "../support/triton";
import { anyOf, helmRelease, kubernetes } from "../support/types";

interface Settings {
  readonly hostPathImages: readonly string[];
  readonly hostPaths: readonly string[];
}

export const podsUnprivileged = resourceRule<Settings>({
  name: "pods-unprivileged",
  description: "Pods are not privileged and see nothing of their node, except device plugins their sockets.",
  enforcementLevel: "mandatory",
  severity: "critical",
  remediationSteps:
    "Remove privileged, host namespaces, host ports, added capabilities and hostPath volumes from the pod specification.",
  configSchema: {
    properties: {
      hostPathImages: {
        type: "array",
        items: { type: "string" },
        default: ["nvcr.io/nvidia/k8s-device-plugin"],
        description: "Image repositories; a DaemonSet of these alone may mount `hostPaths`.",
      },
      hostPaths: {
        type: "array",
        items: { type: "string" },
        default: ["/var/lib/kubelet/device-plugins"],
        description: "Folders of the node that such a DaemonSet may mount.",
      },
    },
  },
  on: anyOf(workloads, helmRelease),
  check: (resource) => {
    if (helmRelease(resource.type)) {
      // The schema of Triton's chart leaves no room for what is not known yet; that of others is not known here.
      if (!tritonValues(resource)) resource.inputs.defer("values");
      resource.inputs.inside("values").objects().forEach(checkValues);
      return;
    }
    const pod = podSpec(resource);
    if (!pod) return;
    const { config } = resource;
    const isDevicePlugin = kubernetes("DaemonSet")(resource.type) && runsOnly(pod, config.hostPathImages);
    checkPod(pod, isDevicePlugin ? config.hostPaths : [], isDevicePlugin ? migCapabilities : []);
  },
});

const isOff = (value: unknown): boolean => value === false;

/** What a device plugin needs to see the slices of a GPU (NVIDIA's chart gives it the same). */
const migCapabilities: readonly string[] = ["SYS_ADMIN"];

function checkPod(pod: Inputs, hostPaths: readonly string[], capabilities: readonly string[]): void {
  for (const field of hostNamespaces) pod.mayOnly(field, isOff, "must not be set");
  for (const volume of pod.items("volumes")) {
    volume.mayOnly(
      "hostPath",
      (source) => isFields(source) && hostPaths.includes(String(source["path"]).replace(/\/+$/, "")),
      "must not be a folder of the node",
    );
  }
  for (const container of containersOf(pod)) {
    container.mayOnly("securityContext.privileged", isOff, "must not be set");
    container.mayOnly(
      "securityContext.capabilities.add",
      (added) => Array.isArray(added) && added.every((name) => capabilities.includes(String(name))),
      "must be empty",
    );
    // Kubernetes refuses to forbid escalation to a container that has SYS_ADMIN.
    const isAdmin = capabilities.length > 0 && container.read("securityContext.capabilities.add").is === "present";
    if (!isAdmin) container.mustBe("securityContext.allowPrivilegeEscalation", false);
    for (const port of container.items("ports")) port.mayOnly("hostPort", (number) => number === 0, "must not be set");
  }
}

const runsOnly = (pod: Inputs, repositories: readonly string[]): boolean =>
  containersOf(pod).every((container) => {
    const image = container.read("image");
    return image.is === "present" && repositories.includes(imageParts(String(image.value)).repository);
  });

const hostNamespaces = ["hostNetwork", "hostPID", "hostIPC"] as const;

/** Fields that mean the same wherever a chart takes them. What a chart's own templates add is not seen here. */
function checkValues(values: Inputs): void {
  for (const field of [...hostNamespaces, "privileged", "allowPrivilegeEscalation"]) {
    values.mayOnly(field, isOff, "must not be set");
  }
  values.mayOnly("hostPath", () => false, "must not be a folder of the node");
}
