import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { KubeconfigError, kubeloginMethod, kubeloginMethods, withLogin } from "../../core/kubeconfig";

const clientId = "80faf920-1908-4b52-b5ef-a8e7bedfc67a";
const serverId = "6dae42f8-4368-4678-94ff-3960e28e3630";

const tenant = ["--environment", "AzurePublicCloud", "--server-id", serverId, "--tenant-id", "a-tenant"];

const kubeconfig = (args: readonly string[], command = "kubelogin") =>
  stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "aks", cluster: { server: "https://aks.example:443", "certificate-authority-data": "Y2E=" } }],
    contexts: [{ name: "aks", context: { cluster: "aks", user: "user" } }],
    "current-context": "aks",
    users: [
      {
        name: "user",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command,
            args,
            env: null,
            provideClusterInfo: false,
          },
        },
      },
    ],
  });

interface Parsed {
  users: { user: { exec: { args: string[]; [key: string]: unknown } } }[];
}

const argsOf = (text: string) => (parse(text) as Parsed).users[0]?.user.exec.args;

describe("withLogin", () => {
  it("P2: replaces the device login that AKS writes, and keeps server, tenant and environment", () => {
    const before = kubeconfig(["get-token", ...tenant, "--client-id", clientId, "--login", "devicecode"]);
    const after = withLogin(before, "azurecli");
    expect(argsOf(after)).toEqual(["get-token", ...tenant, "--login", "azurecli"]);
    expect(after).not.toContain("devicecode");
  });

  it("P2: names the method where AKS left it out, which is a device login as well", () => {
    expect(argsOf(withLogin(kubeconfig(["get-token", ...tenant]), "msi"))).toEqual([
      "get-token",
      ...tenant,
      "--login",
      "msi",
    ]);
  });

  it("drops the client id of the interactive methods, so that AZURE_CLIENT_ID says who logs in", () => {
    const after = withLogin(kubeconfig(["get-token", "--client-id", clientId, ...tenant]), "workloadidentity");
    expect(after).not.toContain(clientId);
    expect(after).not.toContain("--client-id");
  });

  it("changes nothing but the arguments of kubelogin", () => {
    const before = kubeconfig(["get-token", ...tenant, "--login", "devicecode"]);
    const expected = parse(before) as Parsed;
    for (const { user } of expected.users) user.exec.args = ["get-token", ...tenant, "--login", "spn"];
    expect(parse(withLogin(before, "spn"))).toEqual(expected);
  });

  it.each(["/usr/local/bin/kubelogin", "C:\\tools\\kubelogin.exe"])("knows kubelogin by its path: %s", (command) => {
    expect(argsOf(withLogin(kubeconfig(["get-token", "-l", "devicecode"], command), "azd"))).toEqual([
      "get-token",
      "--login",
      "azd",
    ]);
  });

  it("leaves users alone that do not go through kubelogin", () => {
    const users = [
      { name: "certificate", user: { "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5" } },
      { name: "other", user: { exec: { command: "aws", args: ["--login", "x", "--client-id", "y"] } } },
    ];
    expect(parse(withLogin(stringify({ kind: "Config", users }), "azurecli"))).toEqual({ kind: "Config", users });
  });

  it("reads JSON, which is YAML too", () => {
    const json = JSON.stringify(parse(kubeconfig(["get-token", ...tenant])));
    expect(withLogin(json, "azurecli")).toBe(withLogin(kubeconfig(["get-token", ...tenant]), "azurecli"));
  });

  const option = fc.constantFrom(
    ["--login", "devicecode"],
    ["--login=devicecode"],
    ["-l", "interactive"],
    ["-l=devicecode"],
    ["--client-id", clientId],
    [`--client-id=${clientId}`],
    ["--legacy"],
    ["--server-id", serverId],
    ["--tenant-id", "a-tenant"],
    ["--environment=AzureUSGovernment"],
  );
  const method = fc.constantFrom(...kubeloginMethods);

  it("P2: leaves one login, the one asked for, whatever the arguments and their order", () => {
    fc.assert(
      fc.property(fc.array(option), method, (options, login) => {
        const args = argsOf(withLogin(kubeconfig(["get-token", ...options.flat()]), login));
        const kept = options.filter(([name = ""]) => !/^(--login|-l|--client-id)/.test(name)).flat();
        expect(args).toEqual(["get-token", ...kept, "--login", login]);
      }),
    );
  });

  it("P4: gives equal text for equal input, and the same again for its own output", () => {
    fc.assert(
      fc.property(fc.array(option), method, (options, login) => {
        const before = kubeconfig(["get-token", ...options.flat()]);
        const after = withLogin(before, login);
        expect(withLogin(before, login)).toBe(after);
        expect(withLogin(after, login)).toBe(after);
      }),
    );
  });

  it.each([
    ["text without structure", "no kubeconfig", "holds no object"],
    ["nothing", "", "holds no object"],
    ["a list", "- a", "holds no object"],
    ["no users", "kind: Config", "has no users"],
    ["empty users", "users: []", "has no users"],
    ["a user without credentials", "users: [{name: a}]", "no credentials"],
    ["the dropped provider", "users: [{name: a, user: {auth-provider: {name: azure}}}]", "auth-provider"],
    ["broken YAML", "users: [", "not valid YAML"],
  ])("refuses %s and says what is wrong", (_, text, message) => {
    expect(() => withLogin(text, "azurecli")).toThrow(KubeconfigError);
    expect(() => withLogin(text, "azurecli")).toThrow(message);
  });

  it("P7: never quotes what it could not read, which may hold a key", () => {
    expect.assertions(1);
    try {
      withLogin("users:\n  client-key-data: SENTINEL\n bad: [", "azurecli");
    } catch (error) {
      expect(String(error)).not.toContain("SENTINEL");
    }
  });
});

describe("kubeloginMethod", () => {
  it("is azurecli unless kubelogin's own variable says otherwise", () => {
    expect(kubeloginMethod({})).toBe("azurecli");
    expect(kubeloginMethod({ AAD_LOGIN_METHOD: "" })).toBe("azurecli");
    for (const method of kubeloginMethods) expect(kubeloginMethod({ AAD_LOGIN_METHOD: method })).toBe(method);
  });

  it.each(["devicecode", "interactive", "ropc", "AzureCLI"])("refuses %s and lists the choices", (method) => {
    expect(() => kubeloginMethod({ AAD_LOGIN_METHOD: method })).toThrow(
      new RegExp(`AAD_LOGIN_METHOD is "${method}".*azurecli, azd, workloadidentity, azurepipelines, spn, msi`),
    );
  });
});
