import { createHmac } from "node:crypto";

/** Version of Azure Storage's REST interface. */
const apiVersion = "2023-11-03";

/** The little of Blob Storage's REST interface that the tests need, signed with an account key (Shared Key). */
export class BlobClient {
  constructor(
    private readonly account: string,
    private readonly key: string,
  ) {}

  /** Names of all containers, up to 5000. */
  async containers(): Promise<string[]> {
    const { text } = await this.request("GET", "/", { comp: "list" });
    return names(text);
  }

  async createContainer(container: string): Promise<void> {
    await this.request("PUT", `/${container}`, { restype: "container" });
  }

  async deleteContainer(container: string): Promise<void> {
    await this.request("DELETE", `/${container}`, { restype: "container" });
  }

  /** Names of the container's blobs that begin with `prefix`, up to 5000. */
  async blobs(container: string, prefix = ""): Promise<string[]> {
    const { text } = await this.request("GET", `/${container}`, { comp: "list", prefix, restype: "container" });
    return names(text);
  }

  async putBlob(container: string, blob: string, content: string | Uint8Array): Promise<void> {
    await this.request("PUT", `/${container}/${blob}`, {}, content);
  }

  private async request(
    method: string,
    path: string,
    query: Record<string, string>,
    content?: string | Uint8Array,
  ): Promise<{ text: string }> {
    const body = content === undefined ? undefined : Buffer.from(content);
    const headers: Record<string, string> = { "x-ms-date": new Date().toUTCString(), "x-ms-version": apiVersion };
    if (body !== undefined) headers["x-ms-blob-type"] = "BlockBlob";
    const length = body === undefined || body.length === 0 ? "" : String(body.length);
    const canonicalHeaders = Object.keys(headers)
      .sort()
      .map((name) => `${name}:${headers[name] ?? ""}\n`)
      .join("");
    const canonicalQuery = Object.keys(query)
      .sort()
      .map((name) => `\n${name}:${query[name] ?? ""}`)
      .join("");
    const type = body === undefined ? "" : "application/octet-stream";
    // Verb, eleven standard headers of which two may be set, then the x-ms- headers and the resource.
    const text = `${method}\n\n\n${length}\n\n${type}\n\n\n\n\n\n\n${canonicalHeaders}/${this.account}${path}${canonicalQuery}`;
    const signature = createHmac("sha256", Buffer.from(this.key, "base64")).update(text, "utf8").digest("base64");
    const url = new URL(path, `https://${this.account}.blob.core.windows.net`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(type === "" ? {} : { "content-type": type }),
        authorization: `SharedKey ${this.account}:${signature}`,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${url.href}: ${String(response.status)} ${answer.slice(0, 500)}`);
    return { text: answer };
  }
}

const names = (xml: string): string[] =>
  [...xml.matchAll(/<Name>([^<]*)<\/Name>/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
