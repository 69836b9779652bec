import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCluster } from "../../../components/kubernetes/cluster-api";
import { ApiServer } from "./api-server";

const pods = "/api/v1/namespaces/triton/pods";
let server: ApiServer;
let folder: string;

beforeEach(async () => {
  server = await new ApiServer().start();
  folder = mkdtempSync(join(tmpdir(), "login-"));
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** A login program, as kubelogin is one. */
function login(script: string, more: object = {}) {
  const file = join(folder, "login.js");
  writeFileSync(file, script);
  return {
    exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: process.execPath, args: [file], ...more },
  };
}

describe("openCluster", () => {
  it("goes to the cluster of the current context, with its user's token", async () => {
    server.put({ kind: "Pod", metadata: { name: "a", namespace: "triton" } });
    const api = await openCluster(server.kubeconfig({ token: "sesame" }));
    expect(await api.get(pods, { labelSelector: "" })).toMatchObject({ items: [{ metadata: { name: "a" } }] });
    expect(server.requests[0]?.authorization).toBe("Bearer sesame");
  });

  it("P2: logs in through the kubeconfig's login program, without asking anybody", async () => {
    const script = `
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [info.kind, info.spec.interactive, process.env.METHOD, process.argv[2]].join("-");
      console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: info.kind, status: { token } }));`;
    const user = login(script, { env: [{ name: "METHOD", value: "azurecli" }] });
    user.exec.args.push("get-token");
    await (await openCluster(server.kubeconfig(user))).get(pods, { labelSelector: "" });
    expect(server.requests[0]?.authorization).toBe("Bearer ExecCredential-false-azurecli-get-token");
  });

  it("says why a login failed, without what the program printed as credentials", async () => {
    const script = `console.log("a-secret-token"); console.error("noise\\nAADSTS700024: assertion expired"); process.exit(1)`;
    const failed = openCluster(server.kubeconfig(login(script)));
    await expect(failed).rejects.toThrow(/gave no credentials for the cluster: AADSTS700024: assertion expired$/);
    await expect(failed).rejects.not.toThrow(/a-secret-token/);
  });

  it("says how to get a login program that is not there", async () => {
    const exec = { apiVersion: "v1", command: "no-such-kubelogin", installHint: "Install kubelogin to log in." };
    await expect(openCluster(server.kubeconfig({ exec }))).rejects.toThrow(
      "no-such-kubelogin gave no credentials for the cluster: Install kubelogin to log in.",
    );
  });

  it("names the server that cannot be reached", async () => {
    const kubeconfig = server.kubeconfig();
    const { url } = server;
    await server.stop();
    const api = await openCluster(kubeconfig);
    await expect(api.get(pods)).rejects.toThrow(`the API server ${url} cannot be reached: connect ECONNREFUSED`);
  });

  it("passes on what the API server says of an error, with its status", async () => {
    server.intercept = () => ({ code: 403, message: "pods is forbidden" });
    const api = await openCluster(server.kubeconfig());
    await expect(api.get(pods)).rejects.toMatchObject({ message: "pods is forbidden", status: 403 });
  });

  it.each([
    ["not: [valid", "the kubeconfig is not valid YAML"],
    ["", "the kubeconfig's current context names no cluster and user of it"],
    ["current-context: gone", "the kubeconfig's current context names no cluster and user of it"],
  ])("refuses a useless kubeconfig without quoting it: %j", async (kubeconfig, message) => {
    await expect(openCluster(kubeconfig)).rejects.toThrow(message);
  });
});
