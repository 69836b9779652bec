import { z } from "zod";
import { cidr } from "./scalars";

export const network = z
  .strictObject({
    podCidr: cidr
      .default("10.244.0.0/16")
      .describe("Address range of pods (overlay): never routed, so regions may share it."),
    serviceCidr: cidr
      .default("10.0.0.0/16")
      .describe("Address range of Kubernetes Services: never routed, so regions may share it."),
    outbound: z
      .enum(["loadBalancer", "natGateway"])
      .default("loadBalancer")
      .describe("Way out to the internet; a NAT gateway has a fixed address and more ports."),
    edgeSources: z
      .array(z.string().min(1))
      .min(1, "name at least one source, or `Internet` for all")
      .default(["Internet"])
      .describe("Sources that may reach ports 80 and 443: address ranges or service tags."),
  })
  .prefault({})
  .describe("Network of each region.");
