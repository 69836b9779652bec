import * as net from "node:net";
import type { types } from "@pulumi/kubernetes";

export type NetworkPolicy = types.output.networking.v1.NetworkPolicy;
type Peer = types.output.networking.v1.NetworkPolicyPeer;
type Port = types.output.networking.v1.NetworkPolicyPort;
type Selector = types.output.meta.v1.LabelSelector;
type Labels = Readonly<Record<string, string>>;

export interface Pod {
  readonly namespace: { readonly name: string; readonly labels: Labels };
  readonly labels: Labels;
}

/** One end of a connection: a pod, or an IPv4 address outside of the cluster. */
export type End = Pod | string;

export interface Connection {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  /** Default: `TCP`. */
  readonly protocol?: "TCP" | "UDP";
}

/**
 * Whether network policies let a connection through, as the Kubernetes documentation ("Network Policies") says: a pod that
 * no policy selects is open; a selected one takes what any of its policies allows, and both ends have to agree. Blocks of
 * addresses mean what is outside of the cluster, as Cilium has it. Ports are numbers: a named one is refused.
 */
export function permits(policies: readonly NetworkPolicy[], { from, to, port, protocol = "TCP" }: Connection): boolean {
  const leaves = agrees(from, policies, "Egress", ({ spec }) =>
    (spec.egress ?? []).map((rule) => ({ peers: rule.to, ports: rule.ports })),
  );
  const enters = agrees(to, policies, "Ingress", ({ spec }) =>
    (spec.ingress ?? []).map((rule) => ({ peers: rule.from, ports: rule.ports })),
  );
  return leaves(to) && enters(from);

  function agrees(
    own: End,
    all: readonly NetworkPolicy[],
    direction: "Ingress" | "Egress",
    rulesOf: (policy: NetworkPolicy) => { peers: Peer[] | undefined; ports: Port[] | undefined }[],
  ): (other: End) => boolean {
    if (typeof own === "string") return () => true;
    const selecting = all.filter((policy) => selectsPod(policy, own) && restricts(policy, direction));
    if (selecting.length === 0) return () => true;
    return (other) =>
      selecting.some((policy) =>
        rulesOf(policy).some(
          ({ peers = [], ports = [] }) =>
            (peers.length === 0 || peers.some((peer) => isPeer(peer, other, namespaceOf(policy)))) &&
            (ports.length === 0 || ports.some((allowed) => isPort(allowed, port, protocol))),
        ),
      );
  }
}

const namespaceOf = ({ metadata }: NetworkPolicy): string => metadata.namespace;

const selectsPod = (policy: NetworkPolicy, pod: Pod): boolean =>
  namespaceOf(policy) === pod.namespace.name && matches(policy.spec.podSelector, pod.labels);

/** Ingress is restricted unless a policy says otherwise; egress when it says so or has rules. */
const restricts = ({ spec }: NetworkPolicy, direction: "Ingress" | "Egress"): boolean =>
  (spec.policyTypes ?? ["Ingress", ...(spec.egress === undefined ? [] : ["Egress"])]).includes(direction);

function isPeer({ ipBlock, namespaceSelector, podSelector }: Peer, other: End, namespace: string): boolean {
  if (typeof other === "string") return ipBlock !== undefined && isInBlock(ipBlock, other);
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? other.namespace.name === namespace
      : matches(namespaceSelector, other.namespace.labels);
  return inNamespace && (podSelector === undefined || matches(podSelector, other.labels));
}

function isInBlock({ cidr, except = [] }: types.output.networking.v1.IPBlock, address: string): boolean {
  const isIn = (range: string): boolean => {
    const [base = "", length] = range.split("/");
    const list = new net.BlockList();
    list.addSubnet(base, Number(length));
    return list.check(address);
  };
  return isIn(cidr) && !except.some(isIn);
}

function isPort({ port, endPort, protocol = "TCP" }: Port, asked: number, askedProtocol: string): boolean {
  if (protocol !== askedProtocol) return false;
  if (port === undefined) return true;
  if (typeof port === "string") throw new Error(`port ${port} has a name, which only a pod's own ports could tell`);
  return asked >= port && asked <= (endPort ?? port);
}

function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          throw new Error(`a label selector has no operator ${operator}`);
      }
    })
  );
}
