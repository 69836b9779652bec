import { describe, expect, it } from "vitest";
import { type NetworkPolicy, permits, type Pod } from "./network-policy";

const space = (name: string) => ({ name, labels: { "kubernetes.io/metadata.name": name } });
const server: Pod = { namespace: space("serving"), labels: { app: "server" } };
const neighbour: Pod = { namespace: space("serving"), labels: { app: "client" } };
const stranger: Pod = { namespace: space("elsewhere"), labels: { app: "client" } };
const outside = "20.60.1.2";

const policy = (spec: Partial<NetworkPolicy["spec"]>): NetworkPolicy =>
  ({
    metadata: { namespace: "serving", name: "server" },
    spec: { podSelector: { matchLabels: { app: "server" } }, ...spec },
  }) as NetworkPolicy;

const to = (from: Pod | string, port = 8000) => ({ from, to: server, port });
const out = (end: Pod | string, port = 443) => ({ from: server, to: end, port });

describe("permits", () => {
  it("lets everything through where no policy selects a pod", () => {
    expect(permits([], to(stranger))).toBe(true);
    expect(permits([policy({})], { from: stranger, to: neighbour, port: 1 })).toBe(true);
    const other = { ...policy({}), metadata: { namespace: "elsewhere" } } as NetworkPolicy;
    expect(permits([other], to(stranger))).toBe(true);
  });

  it("closes a selected pod that has no rules, and only in the directions that the policy names", () => {
    const closed = policy({ policyTypes: ["Ingress"] });
    expect(permits([closed], to(neighbour))).toBe(false);
    expect(permits([closed], out(outside))).toBe(true);
    expect(permits([policy({ policyTypes: ["Egress"] })], to(neighbour))).toBe(true);
    expect(permits([policy({ policyTypes: ["Egress"] })], out(outside))).toBe(false);
  });

  it("takes ingress alone, and egress when there are rules for it, where a policy names no directions", () => {
    expect(permits([policy({})], to(neighbour))).toBe(false);
    expect(permits([policy({})], out(outside))).toBe(true);
    expect(permits([policy({ egress: [] })], out(outside))).toBe(false);
  });

  it("means everyone by a rule without peers, and all ports by one without ports", () => {
    expect(permits([policy({ ingress: [{}] as never })], to(outside, 1))).toBe(true);
    const oneRange = policy({ ingress: [{ ports: [{ port: 8000, endPort: 8002 }] }] as never });
    expect([7999, 8000, 8002, 8003].map((port) => permits([oneRange], to(stranger, port)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(permits([oneRange], { ...to(stranger), protocol: "UDP" })).toBe(false);
  });

  it("looks for pods in the policy's own namespace, or in those that a selector names, and needs both selectors to match", () => {
    const own = policy({ ingress: [{ from: [{ podSelector: {} }] }] as never });
    expect([neighbour, stranger, outside].map((end) => permits([own], to(end)))).toEqual([true, false, false]);
    const named = (app: string) =>
      policy({
        ingress: [
          {
            from: [
              { namespaceSelector: { matchLabels: stranger.namespace.labels }, podSelector: { matchLabels: { app } } },
            ],
          },
        ] as never,
      });
    expect([neighbour, stranger].map((end) => permits([named("client")], to(end)))).toEqual([false, true]);
    expect(permits([named("other")], to(stranger))).toBe(false);
  });

  it("takes the exceptions out of a block of addresses, which means no pod", () => {
    const block = policy({
      egress: [{ to: [{ ipBlock: { cidr: "20.0.0.0/8", except: ["20.60.1.2/32"] } }] }] as never,
    });
    expect(["20.60.1.2", "20.60.1.3", "21.0.0.1", neighbour].map((end) => permits([block], out(end)))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it("adds policies up, and wants both ends to agree", () => {
    const clients = policy({ ingress: [{ from: [{ podSelector: { matchLabels: { app: "client" } } }] }] as never });
    expect(permits([policy({}), clients], to(neighbour))).toBe(true);
    const mute = policy({ podSelector: { matchLabels: { app: "client" } }, policyTypes: ["Egress"] } as never);
    expect(permits([clients, mute], to(neighbour))).toBe(false);
  });

  it.each([
    ["In", ["a", "client"], true],
    ["In", ["a"], false],
    ["NotIn", ["a"], true],
    ["NotIn", ["client"], false],
    ["Exists", undefined, true],
    ["DoesNotExist", undefined, false],
  ])("selects by %s %j", (operator, values, expected) => {
    const expression = { key: "app", operator, ...(values && { values }) };
    const selecting = policy({ ingress: [{ from: [{ podSelector: { matchExpressions: [expression] } }] }] as never });
    expect(permits([selecting], to(neighbour))).toBe(expected);
  });
});
