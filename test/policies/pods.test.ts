import { describe, expect, it } from "vitest";
import { imagesPinned } from "../../policies/rules/images-pinned";
import { noCredentialsInEnv } from "../../policies/rules/no-credentials-in-env";
import { podsUnprivileged } from "../../policies/rules/pods-unprivileged";
import { imageParts } from "../../policies/support/pods";
import { container, devicePlugin, otherRelease, tritonDeployment, tritonRelease } from "./fixtures/kubernetes";
import { type Fixture, verdicts } from "./support/analyzer";
import { promises } from "./support/promises";
import { changed, secret, unknown } from "./support/values";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const pod = "spec.template.spec";

promises(imagesPinned, "workload", {
  of: tritonDeployment,
  refuses: [
    {
      path: `${container}.image`,
      to: "a/b:latest",
      saying: /containers\[0\]\.image is a\/b:latest; it must name a version/,
    },
    { path: `${container}.image`, to: "a/b", saying: /image is a\/b; it must name a version/ },
    { path: `${container}.image`, to: "host:5000/a/b", saying: /it must name a version/ },
    { path: `${container}.image`, to: "a/b:", saying: /it must name a version/ },
    { path: `${container}.image`, to: "a/b@sha256:12", saying: /it must name a version/ },
    { path: `${pod}.initContainers`, to: [{ image: "busybox" }], saying: /initContainers\[0\]\.image is busybox/ },
  ],
  needs: [
    { path: `${container}.image`, saying: /image is missing/ },
    { path: pod, saying: /spec\.template\.spec is missing/ },
  ],
  reads: [`${container}.image`, `${pod}.containers`, pod],
  allows: [{ path: `${container}.image`, to: `host:5000/a/b:latest@${digest}`, because: "a digest, whatever the tag" }],
});

promises(imagesPinned, "release of the chart", {
  of: tritonRelease,
  refuses: [
    { path: "values.image.tag", to: "latest", saying: /^values\.image\.tag is latest; it must name a version/ },
    { path: "values.image.digest", to: "sha256:12", saying: /^values\.image\.digest is sha256:12/ },
    { path: "values.image.tag", to: "", saying: /it must name a version/ },
  ],
  reads: ["values.image.tag", "values.image.digest", "values", "chart"],
  allows: [
    { path: "values.image", to: undefined, because: "the tag that the chart has by default" },
    { path: "values.image.digest", to: digest, because: "a digest" },
  ],
});

promises(imagesPinned, "release of another chart", {
  of: otherRelease,
  refuses: [
    { path: "values.image.tag", to: "latest", saying: /^values\.image\.tag is latest/ },
    { path: "values.list[0].image", to: "a/b:latest", saying: /^values\.list\[0\]\.image is a\/b:latest/ },
  ],
  reads: ["values.image.tag", "values"],
});

promises(podsUnprivileged, "workload", {
  of: tritonDeployment,
  refuses: [
    { path: `${container}.securityContext.privileged`, to: true, saying: /privileged is true; it must not be set/ },
    { path: `${container}.securityContext.allowPrivilegeEscalation`, to: true, saying: /Escalation is true/ },
    { path: `${container}.securityContext.capabilities.add`, to: ["SYS_ADMIN"], saying: /add is \["SYS_ADMIN"\]/ },
    { path: `${container}.ports[0].hostPort`, to: 8000, saying: /ports\[0\]\.hostPort is 8000/ },
    { path: `${pod}.hostNetwork`, to: true, saying: /hostNetwork is true/ },
    { path: `${pod}.hostPID`, to: true, saying: /hostPID is true/ },
    { path: `${pod}.hostIPC`, to: true, saying: /hostIPC is true/ },
    { path: `${pod}.volumes[1]`, to: { name: "h", hostPath: { path: "/" } }, saying: /volumes\[1\]\.hostPath/ },
    {
      path: `${pod}.initContainers`,
      to: [{ securityContext: { privileged: true, allowPrivilegeEscalation: false } }],
      saying: /initContainers\[0\]\.securityContext\.privileged/,
    },
  ],
  needs: [
    { path: `${container}.securityContext`, saying: /allowPrivilegeEscalation is missing/ },
    { path: pod, saying: /spec\.template\.spec is missing/ },
  ],
  reads: [
    `${container}.securityContext.privileged`,
    `${pod}.hostNetwork`,
    `${pod}.volumes[0].hostPath`,
    `${pod}.volumes`,
  ],
});

promises(podsUnprivileged, "device plugin", {
  of: devicePlugin,
  refuses: [
    {
      path: `${pod}.volumes[0].hostPath.path`,
      to: "/var/lib",
      saying: /hostPath is .*; it must not be a folder of the node/,
    },
    { path: `${container}.image`, to: "evil/k8s-device-plugin:1", saying: /must not be a folder of the node/ },
    { path: `${pod}.containers[1]`, to: otherContainer(), saying: /must not be a folder of the node/ },
    { path: `${container}.securityContext.privileged`, to: true, saying: /privileged is true/ },
  ],
  reads: [`${pod}.volumes[0].hostPath`],
});

function otherContainer() {
  return { image: "busybox:1", securityContext: { allowPrivilegeEscalation: false } };
}

describe("pods-unprivileged: kinds of workloads", () => {
  const spec = { hostNetwork: true, containers: [] };
  const template = { template: { spec } };
  const kinds: [string, Record<string, unknown>][] = [
    ["core/v1:Pod", { spec }],
    ["core/v1:ReplicationController", { spec: template }],
    ["core/v1:PodTemplate", template],
    ["apps/v1:Deployment", { spec: template }],
    ["apps/v1:DeploymentPatch", { spec: template }],
    ["apps/v1beta1:Deployment", { spec: template }],
    ["apps/v1:DaemonSet", { spec: template }],
    ["apps/v1:StatefulSet", { spec: template }],
    ["apps/v1:ReplicaSet", { spec: template }],
    ["batch/v1:Job", { spec: template }],
    ["batch/v1:CronJob", { spec: { jobTemplate: { spec: template } } }],
  ];
  it.each(kinds)("looks into %s", async (kind, props) => {
    expect(await verdicts(podsUnprivileged, [{ type: `kubernetes:${kind}`, props }])).toMatchObject([
      { message: expect.stringContaining("hostNetwork is true") as unknown },
    ]);
  });
  it("lets only a DaemonSet be a device plugin", async () => {
    const deployment: Fixture = { ...devicePlugin, type: "kubernetes:apps/v1:Deployment" };
    expect(await verdicts(podsUnprivileged, [deployment])).toHaveLength(1);
  });
});

promises(podsUnprivileged, "values of a release (C3)", {
  of: otherRelease,
  refuses: [
    { path: "values.podSecurity.privileged", to: true, saying: /values\.podSecurity\.privileged is true/ },
    { path: "values.list[0].hostNetwork", to: true, saying: /values\.list\[0\]\.hostNetwork is true/ },
    { path: "values.hostPID", to: true, saying: /values\.hostPID is true/ },
    { path: "values.extraVolumes", to: [{ hostPath: { path: "/" } }], saying: /extraVolumes\[0\]\.hostPath/ },
  ],
  reads: ["values.podSecurity.privileged"],
});

promises(noCredentialsInEnv, "workload", {
  of: tritonDeployment,
  refuses: [
    {
      path: `${container}.env[0]`,
      to: { name: "AZURE_STORAGE_KEY", value: secret("sentinel-key") },
      saying: /env\[0\]\.value of AZURE_STORAGE_KEY is in plain sight/,
    },
    { path: `${container}.env[0]`, to: { name: "DB_PASSWORD" }, saying: /secretKeyRef of DB_PASSWORD is missing/ },
    {
      path: `${container}.env[1].valueFrom`,
      to: { configMapKeyRef: { name: "a", key: "b" } },
      saying: /secretKeyRef of TRITON_ADMIN_KEY is missing/,
    },
  ],
  reads: [`${container}.env[0].name`, `${container}.env`],
});

promises(noCredentialsInEnv, "release of the chart", {
  of: tritonRelease,
  refuses: [
    {
      path: "values.env[1]",
      to: { name: "AZURE_STORAGE_KEY", value: unknown },
      saying: /values\.env\[1\]\.value of AZURE_STORAGE_KEY is in plain sight/,
    },
  ],
  reads: ["values.env"],
  allows: [
    {
      path: "values.env[1]",
      to: { name: "AZURE_STORAGE_KEY", valueFrom: { secretKeyRef: { name: "key", key: "key" } } },
      because: "a key from a Secret",
    },
  ],
});

describe("no-credentials-in-env", () => {
  it("does not quote the credential", async () => {
    const env = [{ name: "AZURE_STORAGE_KEY", value: secret("sentinel-key") }];
    const props = changed(tritonDeployment.props, `${container}.env`, env);
    const found = await verdicts(noCredentialsInEnv, [{ ...tritonDeployment, props }]);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain("sentinel");
  });
});

describe("imageParts", () => {
  it.each([
    ["nvcr.io/nvidia/tritonserver:26.07-py3", { repository: "nvcr.io/nvidia/tritonserver", tag: "26.07-py3" }],
    ["host:5000/a", { repository: "host:5000/a" }],
    ["host:5000/a:1", { repository: "host:5000/a", tag: "1" }],
    [`a:1@${digest}`, { repository: "a", tag: "1", digest }],
    [`a@${digest}`, { repository: "a", digest }],
  ])("takes %s apart", (image, parts) => {
    expect(imageParts(image)).toEqual(parts);
  });
});
