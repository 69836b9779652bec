import * as net from "node:net";

/** Fails when something listens on the address already: in a sandbox that can only be another start of the same part. */
export function assertFree(purpose: string, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", (error) => {
      reject(
        new Error(
          `${purpose} cannot listen on ${host}:${String(port)}: ${error.message}. Is one running in this sandbox already?`,
        ),
      );
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
