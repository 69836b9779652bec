import { z } from "zod";
import { parseCidr } from "../core/cidr";
import { parseBytes, parseCpu } from "../core/quantity";

/** Building blocks that several keys share. Messages say what to write instead. */

export const cidr = z
  .string()
  .refine((text) => parseCidr(text) !== undefined, "write an IPv4 range with no host bits set, such as 10.10.0.0/16");

/** Public addresses for firewalls: a range, or one address without a prefix (which Azure Storage insists on). */
export const publicIpRange = z
  .string()
  .refine(
    (text) => parseCidr(text.includes("/") ? text : `${text}/32`) !== undefined,
    "write a public IPv4 address or range, such as 203.0.113.7 or 203.0.113.0/24",
  );

export const location = z
  .string()
  .regex(/^[a-z][a-z0-9]+$/, "write the location as Azure does in its API, such as westeurope (no spaces or capitals)");

/** YAML reads a bare `2` as a number. */
const quantity = z
  .union([z.string(), z.number().positive()], { error: "write a Kubernetes quantity" })
  .transform(String);

export const memoryQuantity = quantity.refine(
  (text) => parseBytes(text) !== undefined,
  "write a Kubernetes memory quantity, such as 16Gi",
);

export const cpuQuantity = quantity.refine(
  (text) => parseCpu(text) !== undefined,
  "write a Kubernetes CPU quantity, such as 2 or 500m",
);

export const vmSize = z
  .string()
  .regex(/^Standard_[A-Za-z0-9_]+$/, "write the size as Azure does, such as Standard_NC4as_T4_v3");

/** All three: a pool spread over the zones of its location survives the loss of one. Empty where a location has none. */
export const zones = z.array(z.enum(["1", "2", "3"])).default(["1", "2", "3"]);
