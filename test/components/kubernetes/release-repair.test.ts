import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterApi, openCluster } from "../../../components/kubernetes/cluster-api";
import { endInterrupted, refuseUnknown } from "../../../components/kubernetes/release-repair";
import { helmBinary } from "../../support/helm";
import { ApiServer } from "./api-server";
import { decodeHelmRecord, helmRecord } from "./helm-records";

const release = { name: "triton", namespace: "triton" };
let server: ApiServer;
let api: ClusterApi;

beforeEach(async () => {
  server = await new ApiServer().start();
  api = await openCluster(server.kubeconfig());
});
afterEach(() => server.stop());

const recordOf = (version: number, name = "triton") => {
  const found = server.objects.get(`/api/v1/namespaces/triton/secrets/sh.helm.release.v1.${name}.v${version}`);
  if (found === undefined) throw new Error(`no revision ${version}`);
  return found;
};
const statusOf = (version: number, name?: string) => recordOf(version, name).metadata.labels?.["status"];

describe("endInterrupted", () => {
  it.each(["pending-install", "pending-upgrade", "pending-rollback"])(
    "P10: marks a revision that a killed run left %s as failed, in its label and in itself",
    async (status) => {
      server.put(helmRecord(1, "deployed"));
      server.put(helmRecord(2, status));
      expect(await endInterrupted(api, release)).toEqual([2]);
      expect(statusOf(2)).toBe("failed");
      expect(decodeHelmRecord(recordOf(2))).toMatchObject({
        name: "triton",
        version: 2,
        info: {
          status: "failed",
          first_deployed: "2026-01-01T00:00:00Z",
          description: "The run that made this revision was interrupted",
        },
      });
      expect(statusOf(1)).toBe("deployed");
    },
  );

  it("ends the first installation as well, which has no revision before it", async () => {
    server.put(helmRecord(1, "pending-install"));
    expect(await endInterrupted(api, release)).toEqual([1]);
    expect(statusOf(1)).toBe("failed");
  });

  it("leaves records that Helm itself reads", async () => {
    server.put(helmRecord(1, "deployed"));
    server.put(helmRecord(2, "pending-upgrade"));
    await endInterrupted(api, release);
    const folder = mkdtempSync(join(tmpdir(), "helm-"));
    try {
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.kubeconfig());
      const options = { env: { HOME: folder } };
      const args = ["history", "triton", "--namespace", "triton", "--output", "json", "--kubeconfig", kubeconfig];
      const { stdout } = await promisify(execFile)(helmBinary(), args, options);
      expect(JSON.parse(stdout)).toMatchObject([
        { revision: 1, status: "deployed" },
        { revision: 2, status: "failed", description: "The run that made this revision was interrupted" },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("changes nothing when no revision is pending", async () => {
    for (const [index, status] of ["superseded", "failed", "deployed"].entries())
      server.put(helmRecord(index + 1, status));
    const before = JSON.stringify([...server.objects]);
    expect(await endInterrupted(api, release)).toEqual([]);
    expect(JSON.stringify([...server.objects])).toBe(before);
    expect(server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("does nothing where Helm never was", async () => {
    expect(await endInterrupted(api, release)).toEqual([]);
  });

  it("leaves other releases of the namespace alone", async () => {
    server.put(helmRecord(1, "pending-upgrade", "other"));
    expect(await endInterrupted(api, release)).toEqual([]);
    expect(statusOf(1, "other")).toBe("pending-upgrade");
  });

  it("counts revisions as numbers: the tenth is newer than the ninth", async () => {
    for (const version of [10, 9]) server.put(helmRecord(version, "pending-upgrade"));
    expect(await endInterrupted(api, release)).toEqual([9, 10]);
  });

  it("does not touch a revision that somebody else ends at that moment, and says so", async () => {
    server.put(helmRecord(2, "pending-upgrade"));
    server.intercept = (method) => {
      if (method === "PATCH") server.put(helmRecord(2, "deployed"));
      return undefined;
    };
    await expect(endInterrupted(api, release)).rejects.toThrow(
      "Helm's release triton in namespace triton is being changed by somebody else; run again when that is over",
    );
    expect(statusOf(2)).toBe("deployed");
  });

  it("does not touch a revision that somebody else makes at that moment", async () => {
    server.put(helmRecord(2, "pending-upgrade"));
    server.intercept = (method) => {
      if (method === "PATCH") server.put(helmRecord(3, "deployed"));
      return undefined;
    };
    expect(await endInterrupted(api, release)).toEqual([2]);
    expect(statusOf(3)).toBe("deployed");
  });

  it("passes on why the API server refuses", async () => {
    server.intercept = () => ({ code: 403, message: 'secrets is forbidden: User "ci" cannot list resource "secrets"' });
    await expect(endInterrupted(api, release)).rejects.toThrow('User "ci" cannot list resource "secrets"');
  });
});

describe("refuseUnknown", () => {
  it("says how to take over a serving release that the stack does not know", async () => {
    server.put(helmRecord(1, "superseded"));
    server.put(helmRecord(2, "deployed"));
    await expect(refuseUnknown(api, release, "triton-westeurope-release")).rejects.toThrow(
      "pulumi import kubernetes:helm.sh/v3:Release triton-westeurope-release triton/triton",
    );
  });

  it.each(["failed", "uninstalled"])("lets an installation go on from a release that %s", async (status) => {
    server.put(helmRecord(1, status));
    await expect(refuseUnknown(api, release, "any")).resolves.toBeUndefined();
  });
});
