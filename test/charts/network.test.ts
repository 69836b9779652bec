import { describe, expect, it } from "vitest";
import { objectOf, objectsOf, template, type Values } from "../support/helm";
import { renderPod } from "./rendered";

const policyWith = async (networkPolicy: object = {}, values: Values = {}) =>
  objectOf(await template({ ...values, networkPolicy }), "NetworkPolicy").spec;

const peersOn = (rules: { ports: { port: number | string }[]; from?: unknown; to?: unknown }[], port: number) =>
  rules.filter(({ ports }) => ports.some((entry) => entry.port === port)).map(({ from, to }) => from ?? to);

const gateway = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "gateway" } } };

describe("Services", () => {
  it("offer HTTP and gRPC at one address inside the cluster", async () => {
    const services = objectsOf(await template({ service: { httpPort: 80, grpcPort: 81 } }), "Service");
    const service = services.find(({ spec }) => spec.clusterIP !== "None");
    expect(service?.metadata.name).toBe("triton");
    expect(service?.spec.type).toBe("ClusterIP");
    expect(service?.spec.ports.map(({ name, port, targetPort }) => [name, port, targetPort])).toEqual([
      ["http", 80, "http"],
      ["grpc", 81, "grpc"],
    ]);
  });

  it("K9: offer the pods themselves to gRPC clients that balance, and to Prometheus", async () => {
    const services = objectsOf(await template(), "Service");
    const headless = services.find(({ spec }) => spec.clusterIP === "None");
    expect(headless?.metadata.name).toBe("triton-headless");
    expect(headless?.spec.ports.map(({ name, port }) => [name, port])).toEqual([
      ["grpc", 8001],
      ["metrics", 8002],
    ]);
  });

  it("name ports that the container has", async () => {
    const { container } = await renderPod();
    expect(container.ports).toEqual([
      { name: "http", containerPort: 8000 },
      { name: "grpc", containerPort: 8001 },
      { name: "metrics", containerPort: 8002 },
    ]);
  });
});

describe("NetworkPolicy, inwards", () => {
  it("lets in the pods of the namespace and nobody else by default", async () => {
    const { ingress, policyTypes } = await policyWith();
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    expect(peersOn(ingress, 8000)).toEqual([[{ podSelector: {} }]]);
    expect(peersOn(ingress, 8001)).toEqual([[{ podSelector: {} }]]);
  });

  it("lets in the named clients", async () => {
    const { ingress } = await policyWith({ ingress: { sameNamespace: false, clients: [gateway] } });
    expect(peersOn(ingress, 8000)).toEqual([[gateway]]);
  });

  it("shows the metrics to the named peers alone", async () => {
    const agent = { ...gateway, podSelector: { matchLabels: { app: "agent" } } };
    const { ingress } = await policyWith({ ingress: { metrics: [agent] } });
    expect(peersOn(ingress, 8002)).toEqual([[agent]]);
  });

  it("has no rule rather than one for everybody when no peer is left", async () => {
    const { ingress } = await policyWith({ ingress: { sameNamespace: false, clients: [], metrics: [] } });
    expect(ingress ?? []).toEqual([]);
  });

  it("has no rule for metrics that are off", async () => {
    const { ingress } = await policyWith({}, { triton: { metrics: { enabled: false } } });
    expect(peersOn(ingress, 8002)).toEqual([]);
  });
});

describe("NetworkPolicy, outwards", () => {
  it("lets out DNS to the cluster's servers and HTTPS to all but the instance metadata service", async () => {
    const { egress } = await policyWith();
    expect(egress).toEqual([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
            podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
          },
        ],
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
      {
        to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["169.254.169.254/32"] } }],
        ports: [{ port: 443, protocol: "TCP" }],
      },
    ]);
  });

  it.each([
    ["0.0.0.0/0", true],
    ["128.0.0.0/1", true],
    ["0.0.0.0/1", false],
    ["169.0.0.0/8", true],
    ["169.254.0.0/16", true],
    ["169.254.169.252/30", true],
    ["169.254.169.0/25", false],
    ["169.254.169.253/32", false],
    ["10.0.0.0/8", false],
  ])("takes the instance metadata service out of %s: %s", async (cidr, taken) => {
    const { egress } = await policyWith({ egress: { dns: [], ranges: [{ cidr, ports: [443] }] } });
    const block = taken ? { cidr, except: ["169.254.169.254/32"] } : { cidr };
    expect(egress.map(({ to }) => to)).toEqual([[{ ipBlock: block }]]);
  });

  it("lets out to named pods", async () => {
    const { egress } = await policyWith({
      egress: { dns: [], ranges: [], pods: [{ ...gateway, ports: [9000, 9001] }] },
    });
    const ports = [9000, 9001].map((port) => ({ port, protocol: "TCP" }));
    expect(egress).toEqual([{ to: [gateway], ports }]);
  });

  it("lets out nothing when nothing is named", async () => {
    const { egress } = await policyWith({ egress: { dns: [], ranges: [], pods: [] } });
    expect(egress ?? []).toEqual([]);
  });

  it("can be left out", async () => {
    expect(objectsOf(await template({ networkPolicy: { enabled: false } }), "NetworkPolicy")).toEqual([]);
  });
});
