import { z } from "zod";
import { defaultKubernetesVersion } from "../core/kubernetes-versions";
import { publicIpRange, vmSize, zones } from "./scalars";

const pool = (defaults: { min: number; max: number }) =>
  z
    .strictObject({
      vmSize: vmSize.default("Standard_D4ds_v5").describe("VM size."),
      min: z.int().min(1).max(100).default(defaults.min).describe("Fewest nodes."),
      max: z.int().min(1).max(100).default(defaults.max).describe("Most nodes."),
    })
    .prefault({});

export const cluster = z
  .strictObject({
    kubernetesVersion: z
      .string()
      .regex(/^1\.\d+(\.\d+)?$/, "write a Kubernetes version, such as 1.35")
      .default(defaultKubernetesVersion)
      .describe("Kubernetes minor version; Azure picks the patch. A patch pin ages out of support."),
    tier: z
      .enum(["Free", "Standard", "Premium"])
      .default("Standard")
      .describe("AKS tier: `Free` has no uptime agreement, `Premium` adds long-term support versions."),
    zones: zones.describe("Availability zones of the system and user pools; empty where the location has none."),
    systemPool: pool({ min: 2, max: 4 }).describe("Pool of the cluster's own add-ons."),
    userPool: pool({ min: 1, max: 4 }).describe(
      "Pool without taints, for everything that is neither add-on nor Triton.",
    ),
    privateApiServer: z
      .boolean()
      .default(false)
      .describe("API server reachable from the network only; needs `access.runner: private`."),
    authorizedIpRanges: z
      .array(publicIpRange)
      .default([])
      .describe("Public addresses that may reach the API server; empty for all (Entra still decides who may do what)."),
    localAccounts: z
      .boolean()
      .default(false)
      .describe("Certificate-based admin accounts, which bypass Entra; off unless an extension demands them."),
    upgradeChannel: z
      .enum(["none", "patch", "stable"])
      .default("patch")
      .describe("Automatic Kubernetes upgrades, in the maintenance window."),
    maintenance: z
      .strictObject({
        dayOfWeek: z
          .enum(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])
          .default("Sunday")
          .describe("Day of the week."),
        startTime: z
          .string()
          .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "write a time as HH:MM")
          .default("01:00")
          .describe("Start, HH:MM."),
        utcOffset: z
          .string()
          .regex(/^[+-](0\d|1[0-4]):[0-5]\d$/, "write an offset as +HH:MM")
          .default("+00:00")
          .describe("Offset of the start time from UTC."),
        durationHours: z
          .int()
          .min(4, "AKS wants at least 4 hours")
          .max(24)
          .default(6)
          .describe("Length in hours, 4 to 24."),
      })
      .prefault({})
      .describe("Weekly window for automatic upgrades of Kubernetes and node images."),
    migStrategy: z
      .enum(["single", "mixed"])
      .default("single")
      .describe(
        "How MIG slices are offered where a pool has a `migProfile`: all as `nvidia.com/gpu`, or under names of their own.",
      ),
    timeSlicing: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe("Pods that share one GPU by time slices, without memory isolation; 1 for none."),
  })
  .prefault({})
  .describe("AKS cluster of each region.");
