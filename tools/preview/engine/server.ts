import { Server, ServerCredentials } from "@grpc/grpc-js";

/** The largest message Pulumi's own engine takes, in bytes. */
const largestMessage = 400 * 1024 * 1024;

/** A gRPC server on a free port of the loopback interface, to which services are yet to be added. */
export interface Listening {
  server: Server;
  /** Host and port. */
  address: string;
  close: () => void;
}

export async function listen(): Promise<Listening> {
  const server = new Server({ "grpc.max_receive_message_length": largestMessage });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  const close = () => {
    server.forceShutdown();
  };
  return { server, address: `127.0.0.1:${port}`, close };
}
