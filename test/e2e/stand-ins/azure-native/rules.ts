import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import { gpuSize, retiredSize } from "../../../../core/vm-sizes";
import type { Properties, Value } from "../../../../tools/preview/engine/values";
import type { Cloud } from "./cloud";

/** What Azure answers when it refuses: status, code and text, as azure-native shows it. */
export class ArmError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(`Status=${status} Code="${code}" Message="${message}"`);
  }
}

export interface Request {
  readonly id: string;
  /** Without package: `storage:StorageAccount`. */
  readonly kind: string;
  readonly inputs: Properties;
}

type Rule = (request: Request, cloud: Cloud) => void;

const field = (value: Value | undefined, key: string): Value | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value[key] : undefined;

/** A text input; anything else, as a message should show it. */
export const text = (value: Value | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

export const lastSegment = (id: string): string => id.slice(id.lastIndexOf("/") + 1);

/** Kinds whose names are unique in all of Azure. */
const globalKinds: Readonly<Record<string, string>> = {
  "storage:StorageAccount": "StorageAccountAlreadyTaken",
  "keyvault:Vault": "VaultAlreadyExists",
  "containerregistry:Registry": "AlreadyInUse",
};

/** Kinds whose names Azure keeps for a while after deletion. */
export const softDeletedKinds: readonly string[] = ["keyvault:Vault", "machinelearningservices:Workspace"];

/** Names of accounts, vaults and registries of other customers, for tests of clashes. */
const takenElsewhere = (): string[] => (process.env["TRITON_AZURE_E2E_TAKEN_NAMES"] ?? "").split(",");

const resourceGroupExists: Rule = ({ id, kind }, cloud) => {
  const group = /^(\/subscriptions\/[^/]+\/resourceGroups\/[^/]+)\//i.exec(id)?.[1];
  if (kind !== "resources:ResourceGroup" && group !== undefined && cloud.get(group) === undefined) {
    throw new ArmError(404, "ResourceGroupNotFound", `Resource group '${lastSegment(group)}' could not be found.`);
  }
};

/** `.../managedClusters/x/agentPools/y` needs `.../managedClusters/x`. */
const parentExists: Rule = ({ id, kind }, cloud) => {
  const [, parent] = /^(.*\/providers\/[^/]+\/[^/]+\/[^/]+)\/[^/]+\/[^/]+/.exec(id) ?? [];
  if (kind.startsWith("authorization:") || parent === undefined) return;
  if (cloud.get(parent) === undefined) {
    throw new ArmError(
      404,
      "ParentResourceNotFound",
      `Can not perform requested operation on nested resource. Parent resource '${lastSegment(parent)}' not found.`,
    );
  }
};

const notThereYet: Rule = ({ id }, cloud) => {
  if (cloud.get(id) !== undefined) throw new Error(`cannot create already existing resource "${id}"`);
};

const nameIsFree: Rule = ({ id, kind }, cloud) => {
  const name = lastSegment(id);
  if (softDeletedKinds.includes(kind) && cloud.isKept(`${kind}/${name}`)) {
    throw new ArmError(
      409,
      "Conflict",
      `Soft-deleted resource '${name}' exists. Please purge or recover it, or use another name.`,
    );
  }
  const code = globalKinds[kind];
  const taken =
    takenElsewhere().includes(name) || cloud.all(kind).some(([other]) => lastSegment(other) === name.toLowerCase());
  if (code !== undefined && taken) throw new ArmError(409, code, `The name '${name}' is already taken.`);
};

/** Required properties by Microsoft's ARM types, from the file of checks where there is one. */
const required: Readonly<Record<string, readonly string[]>> = {
  "storage:StorageAccount": ["kind", "sku", "location"],
  "keyvault:Vault": ["properties", "location"],
  "containerregistry:Registry": ["sku", "location"],
  "containerservice:ManagedCluster": ["location", "agentPoolProfiles", "identity"],
  "containerservice:AgentPool": ["vmSize"],
  "managedidentity:FederatedIdentityCredential": ["issuer", "subject", "audiences"],
  "authorization:RoleAssignment": ["principalId", "roleDefinitionId", "scope"],
  "machinelearningservices:Workspace": ["storageAccount", "keyVault", "applicationInsights", "identity"],
  "machinelearningservices:Datastore": ["properties"],
};

const hasRequired: Rule = ({ kind, inputs }) => {
  const missing = (required[kind] ?? []).filter((name) => inputs[name] === undefined || inputs[name] === null);
  if (missing.length > 0) {
    throw new ArmError(400, "InvalidRequestContent", `Missing required properties: ${missing.join(", ")}.`);
  }
};

const principalExists = (principalId: Value | undefined, cloud: Cloud): boolean =>
  cloud.all().some(([, { outputs }]) => {
    const kubelet = field(field(outputs["identityProfile"], "kubeletidentity"), "objectId");
    return (
      outputs["principalId"] === principalId ||
      field(outputs["identity"], "principalId") === principalId ||
      kubelet === principalId
    );
  });

const roleAssignment: Rule = ({ kind, inputs }, cloud) => {
  if (kind !== "authorization:RoleAssignment") return;
  const { principalId, roleDefinitionId, scope, principalType } = inputs;
  if (principalExists(principalId, cloud) && principalType !== "ServicePrincipal") {
    throw new ArmError(
      400,
      "PrincipalNotFound",
      `Principal ${text(principalId)} does not exist in the directory. Set the principalType property to ServicePrincipal.`,
    );
  }
  const same = cloud
    .all(kind)
    .some(
      ([, other]) =>
        other.inputs["principalId"] === principalId &&
        other.inputs["roleDefinitionId"] === roleDefinitionId &&
        other.inputs["scope"] === scope,
    );
  if (same) throw new ArmError(409, "RoleAssignmentExists", "The role assignment already exists.");
};

const agentPool: Rule = ({ kind, inputs }) => {
  if (kind !== "containerservice:AgentPool") return;
  const {
    agentPoolName,
    vmSize,
    enableAutoScaling,
    minCount,
    maxCount,
    count,
    gpuInstanceProfile,
    upgradeSettings,
    scaleSetPriority,
  } = inputs;
  const refuse = (code: string, message: string) => {
    throw new ArmError(400, code, message);
  };
  if (!/^[a-z][a-z0-9]{0,11}$/.test(text(agentPoolName)))
    refuse("InvalidParameter", `Agent pool name '${text(agentPoolName)}' is invalid.`);
  if (retiredSize(text(vmSize)) !== undefined)
    refuse("SkuNotAvailable", `The VM size '${text(vmSize)}' is not available.`);
  if (gpuInstanceProfile !== undefined && gpuSize(text(vmSize))?.mig !== true)
    refuse("InvalidParameter", "GPUInstanceProfile is not supported by the VM size.");
  if (enableAutoScaling === true && [minCount, maxCount, count].includes(undefined))
    refuse("InvalidParameter", "count, minCount and maxCount are required with autoscaling.");
  if (enableAutoScaling !== true && (minCount !== undefined || maxCount !== undefined))
    refuse("InvalidParameter", "minCount and maxCount need autoscaling.");
  if (scaleSetPriority === "Spot" && field(upgradeSettings, "maxSurge") !== undefined)
    refuse("InvalidParameter", "Spot pools can't set max surge.");
};

const workspaceStorage: Rule = ({ kind, inputs }, cloud) => {
  if (kind !== "machinelearningservices:Workspace") return;
  const account = cloud.get(text(inputs["storageAccount"]));
  if (account?.inputs["isHnsEnabled"] === true)
    throw new ArmError(400, "BadRequest", "Cannot use storage with HNS enabled.");
};

const rules: readonly Rule[] = [
  notThereYet,
  resourceGroupExists,
  parentExists,
  nameIsFree,
  hasRequired,
  roleAssignment,
  agentPool,
  workspaceStorage,
];

/** @throws ArmError as Azure would refuse the request */
export const admit = (request: Request, cloud: Cloud): void => rules.forEach((rule) => rule(request, cloud));

/** Inputs that cannot be changed on what exists: azure-native replaces for them. */
const immutable: Readonly<Record<string, readonly string[]>> = {
  "storage:StorageAccount": ["isHnsEnabled"],
  "containerservice:ManagedCluster": ["dnsPrefix", "nodeResourceGroup"],
  "containerservice:AgentPool": [
    "vmSize",
    "osDiskType",
    "osDiskSizeGB",
    "gpuInstanceProfile",
    "gpuProfile",
    "scaleSetPriority",
    "scaleSetEvictionPolicy",
    "availabilityZones",
    "vnetSubnetID",
  ],
  "authorization:RoleAssignment": ["principalId", "principalType", "roleDefinitionId", "scope"],
  "machinelearningservices:ModelVersion": ["properties"],
  "network:Subnet": [],
};

/** Inputs that are part of a resource's id, or its place; changing one makes another resource. */
const identifying =
  /^(resourceGroupName|location|accountName|workspaceName|registryName|vaultName|resourceName|agentPoolName|containerName|virtualNetworkName|subnetName|roleAssignmentName|name|version)$/;

export const replacesFor = (kind: string, changed: readonly string[]): string[] =>
  changed.filter((name) => identifying.test(name) || (immutable[kind] ?? []).includes(name));

/**
 * The kubeconfig that AKS hands to a cluster's users, which logs in by kubelogin and holds no credential, but with the
 * address and authority of the real API server.
 */
export function realKubeconfig(ofAks: string): string {
  const file = process.env["TRITON_AZURE_E2E_KUBECONFIG"];
  if (file === undefined) return ofAks;
  const config = parse(ofAks) as Kubeconfig;
  const real = parse(readFileSync(file, "utf8")) as Kubeconfig;
  const clusters = config.clusters.map(({ name }) => ({ name, cluster: real.clusters[0]?.cluster }));
  return stringify({ ...config, clusters });
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: unknown }[];
}

/** What AKS says of the real API server that stands in for it: who issues its service accounts' tokens. */
export function realCluster(kind: string): Properties {
  const issuerURL = process.env["TRITON_AZURE_E2E_ISSUER"];
  return kind === "containerservice:ManagedCluster" && issuerURL !== undefined
    ? { oidcIssuerProfile: { enabled: true, issuerURL } }
    : {};
}

export const conflict = (identity: string): ArmError =>
  new ArmError(
    409,
    "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
    `Too many federated identity credentials are written concurrently for the managed identity '${lastSegment(identity)}'.`,
  );
