import { armIdentity, digits, guid, placeholderIds } from "./arm-ids";
import { isObject, type Properties, type Value } from "./values";

/** A resource as its provider sees it: inputs with secrets opened and unknown values as `{unknown: true}`. */
export interface Created {
  urn: string;
  type: string;
  name: string;
  inputs: Properties;
}

/** What stands in for the cloud: it answers what a provider would compute. */
export interface StandIn {
  /** Id that the provider gives to the resource. Not asked in dry runs. */
  id(resource: Created): string;
  /**
   * Outputs that the provider computes, merged over the inputs. In a dry run their values are never used: they tell
   * which fields inside an input object stay unknown.
   */
  computed(resource: Created): Properties;
  /** The result of a provider function; throws when it has no answer. */
  invoke(token: string, args: Properties): Properties;
  /** Outputs of another stack; undefined when that stack is unknown. */
  stackOutputs(name: string): Properties | undefined;
}

/** Text of the model store's account key that the stand-in answers: tests search outputs for it. */
export const accountKey = "c3RhbmQtaW4tYWNjb3VudC1rZXktdGhhdC1vcGVucy1ub3RoaW5n";

const { tenantId } = placeholderIds;

const text = (value: Value | undefined, otherwise: string): string => (typeof value === "string" ? value : otherwise);
const field = (value: Value | undefined, key: string): Value | undefined => (isObject(value) ? value[key] : undefined);

type Outputs = (resource: Created, azure: ReturnType<typeof armIdentity>) => Properties;

/** Identity blocks get ids when Azure made a system-assigned identity. */
function identityOutputs({ inputs, urn }: Created): Properties {
  const kind = text(field(inputs["identity"], "type"), "").toLowerCase();
  if (!kind.includes("systemassigned")) return {};
  return { identity: { principalId: guid(`${urn} principal`), tenantId } };
}

/** What Azure adds to the inputs, by class. Field names as in the outputs of azure-native 3.28. */
const azureOutputs: Record<string, Outputs> = {
  "storage:StorageAccount": (_, { name }) => ({
    primaryEndpoints: Object.fromEntries(
      ["blob", "dfs", "file", "queue", "table"].map((service) => [
        service,
        `https://${name}.${service}.core.windows.net/`,
      ]),
    ),
    primaryLocation: "westeurope",
    provisioningState: "Succeeded",
  }),
  "keyvault:Vault": (_, { name }) => ({ properties: { vaultUri: `https://${name}.vault.azure.net/` } }),
  "applicationinsights:Component": ({ urn }) => ({
    instrumentationKey: guid(`${urn} key`),
    appId: guid(`${urn} app`),
    connectionString: `InstrumentationKey=${guid(`${urn} key`)}`,
  }),
  "operationalinsights:Workspace": ({ urn }) => ({ customerId: guid(`${urn} customer`) }),
  "containerregistry:Registry": (_, { name }) => ({ loginServer: `${name}.azurecr.io` }),
  "machinelearningservices:Workspace": ({ urn }) => ({ workspaceId: guid(`${urn} workspace`) }),
  "machinelearningservices:OnlineEndpoint": (_, { name }) => ({
    properties: { scoringUri: `https://${name}.inference.ml.azure.com/score` },
  }),
  "containerservice:ManagedCluster": ({ urn, inputs }, { name, id }) => {
    const prefix = text(inputs["dnsPrefix"], name);
    const fqdn = `${prefix}-${digits(urn, 8)}.hcp.westeurope.azmk8s.io`;
    const resourceId = `${id.slice(0, id.indexOf("/providers/"))}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}-agentpool`;
    return {
      fqdn,
      currentKubernetesVersion: text(inputs["kubernetesVersion"], "1.35"),
      nodeResourceGroup: text(inputs["nodeResourceGroup"], `MC_${name}`),
      ...(field(inputs["oidcIssuerProfile"], "enabled") === true && {
        oidcIssuerProfile: {
          issuerURL: `https://westeurope.oic.prod-aks.azure.com/${tenantId}/${guid(`${urn} issuer`)}/`,
        },
      }),
      identityProfile: {
        kubeletidentity: {
          objectId: guid(`${urn} kubelet object`),
          clientId: guid(`${urn} kubelet client`),
          resourceId,
        },
      },
    };
  },
  "containerservice:AgentPool": ({ inputs }) => ({
    currentOrchestratorVersion: text(inputs["orchestratorVersion"], "1.35"),
  }),
  "managedidentity:UserAssignedIdentity": ({ urn }) => ({
    principalId: guid(`${urn} principal`),
    clientId: guid(`${urn} client`),
    tenantId,
  }),
  "monitor:AzureMonitorWorkspace": (_, { name, id }) => ({
    accountId: guid(`${id} account`),
    metrics: { prometheusQueryEndpoint: `https://${name}.westeurope.prometheus.monitor.azure.com` },
    defaultIngestionSettings: {
      dataCollectionEndpointResourceId: `${id}/dataCollectionEndpoints/${name}`,
      dataCollectionRuleResourceId: `${id}/dataCollectionRules/${name}`,
    },
  }),
  "monitor:DataCollectionRule": ({ urn }) => ({ immutableId: `dcr-${digits(urn, 32)}` }),
  "dashboard:Grafana": (_, { name }) => ({ properties: { endpoint: `https://${name}.weu.grafana.azure.com` } }),
  "network:PublicIPAddress": ({ inputs }) => ({
    ipAddress: "203.0.113.10",
    dnsSettings: {
      fqdn: `${text(field(inputs["dnsSettings"], "domainNameLabel"), "unnamed")}.westeurope.cloudapp.azure.com`,
    },
  }),
  "privatedns:PrivateZone": () => ({ numberOfRecordSets: 1 }),
  "cdn:Profile": ({ urn }) => ({ frontDoorId: guid(`${urn} front door`) }),
  "cdn:AFDEndpoint": ({ urn }, { name }) => ({ hostName: `${name}-${digits(urn, 16)}.z01.azurefd.net` }),
  "trafficmanager:Profile": ({ inputs }, { name }) => ({
    dnsConfig: { fqdn: `${text(field(inputs["dnsConfig"], "relativeName"), name)}.trafficmanager.net` },
  }),
};

/** Name and namespace of a Kubernetes object; the provider makes up a name that is left out. */
function kubernetesName({ inputs, name, urn, type }: Created): { name: string; namespace: string | undefined } {
  const release = type.startsWith("kubernetes:helm.sh/");
  const metadata = release ? inputs : (inputs["metadata"] ?? {});
  const clusterScoped = /:(Namespace|ClusterRole|ClusterRoleBinding|CustomResourceDefinition|PriorityClass)$/.test(
    type,
  );
  return {
    name: text(field(metadata, "name"), `${name}-${digits(urn, 8)}`),
    namespace: clusterScoped ? undefined : text(field(metadata, "namespace"), "default"),
  };
}

function kubernetesOutputs(resource: Created): Properties {
  const { name, namespace } = kubernetesName(resource);
  if (resource.type.startsWith("kubernetes:helm.sh/")) {
    return { name, status: { name, namespace: namespace ?? "default", status: "deployed", revision: 1 } };
  }
  return { metadata: { name, ...(namespace !== undefined && { namespace }), uid: guid(resource.urn) } };
}

/** The kubeconfig that AKS hands to users of an Entra ID cluster: it asks for a device login. */
function userKubeconfig(cluster: string): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${cluster}
    cluster:
      certificate-authority-data: c3RhbmQtaW4gY2VydGlmaWNhdGU=
      server: https://${cluster}.hcp.westeurope.azmk8s.io:443
contexts:
  - name: ${cluster}
    context: { cluster: ${cluster}, user: clusterUser_${cluster} }
current-context: ${cluster}
users:
  - name: clusterUser_${cluster}
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1beta1
        command: kubelogin
        args:
          - get-token
          - --environment
          - AzurePublicCloud
          - --server-id
          - 6dae42f8-4368-4678-94ff-3960e28e3630
          - --client-id
          - 80faf920-1908-4b52-b5ef-a8e7bedfc67a
          - --tenant-id
          - ${tenantId}
          - --login
          - devicecode
        installHint: Install kubelogin to log in to this cluster.
        provideClusterInfo: false
`;
}

/** Provider functions with an answer. azure-native marks none of these results secret. */
const functions: Record<string, (args: Properties) => Properties> = {
  "azure-native:authorization:getClientConfig": () => ({ ...placeholderIds }),
  "azure-native:storage:listStorageAccountKeys": () => ({
    keys: [
      { keyName: "key1", permissions: "FULL", value: accountKey, creationTime: "2026-01-01T00:00:00Z" },
      { keyName: "key2", permissions: "FULL", value: `${accountKey}Mg==`, creationTime: "2026-01-01T00:00:00Z" },
    ],
  }),
  "azure-native:containerservice:listManagedClusterUserCredentials": (args) => ({
    kubeconfigs: [
      {
        name: "clusterUser",
        value: Buffer.from(userKubeconfig(text(args["resourceName"], "cluster"))).toString("base64"),
      },
    ],
  }),
};

/**
 * Azure and the Kubernetes provider as they would answer, the same in every run. Only functions listed here have an
 * answer: a program that calls another one has to be taught here what Azure says.
 */
export const azureStandIn: StandIn = {
  id(resource) {
    const { type, name, inputs, urn } = resource;
    if (type.startsWith("azure-native:")) return armIdentity(type, name, inputs, urn).id;
    if (type.startsWith("kubernetes:")) {
      const object = kubernetesName(resource);
      return object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
    }
    return guid(urn);
  },
  computed(resource) {
    const { type, name, inputs, urn } = resource;
    if (type.startsWith("kubernetes:")) return kubernetesOutputs(resource);
    if (!type.startsWith("azure-native:")) return {};
    const azure = armIdentity(type, name, inputs, urn);
    return {
      name: azure.name,
      type: azure.armType,
      ...identityOutputs(resource),
      ...azureOutputs[type.slice("azure-native:".length)]?.(resource, azure),
    };
  },
  invoke(token, args) {
    const answer = functions[token];
    if (answer === undefined) {
      throw new Error(
        `the stand-in for Azure has no answer for the function ${token} (tools/preview/engine/stand-in.ts)`,
      );
    }
    return answer(args);
  },
  stackOutputs: () => undefined,
};
