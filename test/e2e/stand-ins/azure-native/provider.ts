/**
 * Stand-in for the azure-native provider and Azure behind it: a plugin that the real Pulumi CLI starts. It keeps its state in
 * the folder of TRITON_AZURE_E2E_CLOUD and refuses what Azure refuses (rules.ts), slowly or not at all when a test says so
 * (faults in cloud.ts). Ids, computed outputs and function results are those of the embedded engine's stand-in, but the
 * kubeconfig is the real API server's (TRITON_AZURE_E2E_KUBECONFIG).
 */
import { isDeepStrictEqual } from "node:util";
import { main, type Provider } from "@pulumi/pulumi/provider";
import { azureStandIn, type Created, plain, type Properties } from "../../../../tools/preview/engine";
import { Cloud, type Fault } from "./cloud";
import { makeMachines, removeMachines } from "./machines";
import {
  admit,
  ArmError,
  conflict,
  lastSegment,
  realCluster,
  realKubeconfig,
  replacesFor,
  softDeletedKinds,
  text,
} from "./rules";

/** Version of azure-native that this stands in for. */
const version = "3.28.0";

const folder = process.env["TRITON_AZURE_E2E_CLOUD"];
if (folder === undefined) throw new Error("TRITON_AZURE_E2E_CLOUD must name the folder of the pretended Azure's state");
const cloud = new Cloud(folder);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function resourceOf(urn: string, inputs: Properties): Created & { kind: string } {
  const [, , , types = "", name = ""] = urn.split("::").flatMap((part, index) => (index === 0 ? [part, ""] : [part]));
  const type = types.split("$").at(-1) ?? "";
  return { urn, type, name, inputs: plain(inputs), kind: type.replace("azure-native:", "") };
}

/** azure-native asks again a few times when Azure throttles; any other fault ends the operation. */
async function suffer(type: string, operation: Fault["operation"]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const fault = cloud.strike(type, operation);
    if (fault === undefined) return;
    await pause(fault.delayMs ?? 0);
    if (fault.status === undefined) return;
    const error = new ArmError(fault.status, fault.code ?? "InternalServerError", "The test asked for this fault.");
    if (fault.status !== 429 || attempt >= 4) throw error;
    await pause(200 * attempt);
  }
}

const writing = new Set<string>();

/** Azure takes one write of federated credentials for an identity at a time. */
async function alone<T>(kind: string, id: string, work: () => Promise<T>): Promise<T> {
  if (kind !== "managedidentity:FederatedIdentityCredential") return work();
  const identity = id.slice(0, id.indexOf("/federatedIdentityCredentials/"));
  if (writing.has(identity)) throw conflict(identity);
  writing.add(identity);
  try {
    await pause(300);
    return await work();
  } finally {
    writing.delete(identity);
  }
}

const provider: Provider = {
  version,

  async create(urn, inputs: Properties) {
    const resource = resourceOf(urn, inputs);
    const { type, kind } = resource;
    await suffer(type, "create");
    const id = azureStandIn.id(resource);
    return alone(kind, id, async () => {
      admit({ id, kind, inputs: resource.inputs }, cloud);
      const outputs = { ...resource.inputs, ...azureStandIn.computed(resource), ...realCluster(kind) };
      cloud.put(id, { type, inputs: resource.inputs, outputs });
      await makeMachines(id, kind, resource.inputs);
      return { id, outs: outputs };
    });
  },

  diff(_id, urn, olds: Properties, news: Properties) {
    const { inputs, kind } = resourceOf(urn, news);
    const before = plain(olds);
    const changed = Object.keys({ ...lastInputs(_id, before), ...inputs }).filter(
      (key) => !isDeepStrictEqual(lastInputs(_id, before)[key], inputs[key]),
    );
    const replaces = replacesFor(kind, changed);
    // Named resources cannot stand beside their replacement, so azure-native deletes first.
    return Promise.resolve({ changes: changed.length > 0, replaces, deleteBeforeReplace: replaces.length > 0 });
  },

  async update(id, urn, _olds, news: Properties) {
    const resource = resourceOf(urn, news);
    await suffer(resource.type, "update");
    const before = cloud.get(id);
    if (before === undefined) throw new ArmError(404, "ResourceNotFound", `The resource '${id}' was not found.`);
    return alone(resource.kind, id, () => {
      const outputs = { ...resource.inputs, ...azureStandIn.computed(resource), ...realCluster(resource.kind) };
      cloud.put(id, { type: resource.type, inputs: resource.inputs, outputs });
      return Promise.resolve({ outs: outputs });
    });
  },

  async read(id, urn) {
    const { type } = resourceOf(urn, {});
    await suffer(type, "read");
    const stored = cloud.get(id);
    return stored === undefined ? { id: "", props: {} } : { id, props: stored.outputs, inputs: stored.inputs };
  },

  async delete(id, urn) {
    const { type, kind } = resourceOf(urn, {});
    await suffer(type, "delete");
    await alone(kind, id, async () => {
      await removeMachines(id, kind, cloud.get(id)?.inputs ?? {});
      if (softDeletedKinds.includes(kind)) cloud.keepName(`${kind}/${lastSegment(id)}`);
      cloud.remove(id);
    });
  },

  async invoke(token, inputs: Properties) {
    await suffer(token, "invoke");
    const args = plain(inputs);
    if (/listManagedCluster(User|Admin)Credentials$/.test(token)) {
      const cluster = cloud
        .all("containerservice:ManagedCluster")
        .find(([id]) => id.endsWith(`/${text(args["resourceName"]).toLowerCase()}`));
      if (cluster === undefined)
        throw new ArmError(404, "ResourceNotFound", `The cluster '${text(args["resourceName"])}' was not found.`);
      if (token.includes("Admin") && cluster[1].inputs["disableLocalAccounts"] === true) {
        throw new ArmError(
          400,
          "BadRequest",
          "Getting static credential is not allowed because this cluster is set to disable local accounts.",
        );
      }
      const [credential] = azureStandIn.invoke(token, args)["kubeconfigs"] as { name: string; value: string }[];
      const kubeconfig = realKubeconfig(Buffer.from(credential?.value ?? "", "base64").toString("utf8"));
      return { outputs: { kubeconfigs: [{ ...credential, value: Buffer.from(kubeconfig).toString("base64") }] } };
    }
    return { outputs: azureStandIn.invoke(token, args) };
  },
};

/** What the resource was last told to be; the engine's record where Azure has lost it. */
const lastInputs = (id: string, recorded: Properties): Properties => cloud.get(id)?.inputs ?? recorded;

void main(provider, process.argv.slice(2));
