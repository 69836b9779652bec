import { type Server, status } from "@grpc/grpc-js";
import { EngineService, type IEngineServer } from "@pulumi/pulumi/proto/engine_grpc_pb";
import {
  GetRootResourceResponse,
  LogSeverity,
  RequirePulumiVersionResponse,
  SetRootResourceResponse,
} from "@pulumi/pulumi/proto/engine_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Deployment, resourceMonitor } from "./monitor";
import { emptyRecording, type Recording, type Severity } from "./recording";
import { listen } from "./server";

/** Milliseconds in which an answer has left this process: gRPC does not tell. */
const answerTime = 10;

const severities: Partial<Record<LogSeverity, Severity>> = {
  [LogSeverity.INFO]: "info",
  [LogSeverity.WARNING]: "warning",
  [LogSeverity.ERROR]: "error",
};

/** An engine that one program can connect to. */
export interface RunningEngine {
  /** Host and port that serve both the resource monitor and the engine. */
  address: string;
  recording: Recording;
  close: () => void;
}

function engineServer(recording: Recording, onRunning: () => void): IEngineServer {
  return {
    log: ({ request }, callback) => {
      const severity = severities[request.getSeverity()];
      // Debug messages are the SDK's own, by the thousand, and hold values of all kinds.
      if (severity !== undefined) {
        recording.logs.push({ severity, message: request.getMessage(), urn: request.getUrn() });
      }
      callback(null, new Empty());
    },
    getRootResource: (_, callback) => {
      const response = new GetRootResourceResponse();
      response.setUrn(recording.stackUrn);
      callback(null, response);
    },
    setRootResource: ({ request }, callback) => {
      recording.stackUrn = request.getUrn();
      callback(null, new SetRootResourceResponse());
      setTimeout(onRunning, answerTime);
    },
    // Any version will do: the embedded engine speaks the protocol of the installed SDK.
    requirePulumiVersion: (_, callback) => {
      callback(null, new RequirePulumiVersionResponse());
    },
    startDebugging: (_, callback) => {
      callback({ code: status.UNIMPLEMENTED });
    },
  };
}

/** Adds resource monitor and engine to a server, for one run of a program. */
export function serve(server: Server, deployment: Deployment): Recording {
  const recording = emptyRecording();
  server.addService(ResourceMonitorService, resourceMonitor(deployment, recording));
  server.addService(EngineService, engineServer(recording, deployment.onRunning ?? (() => undefined)));
  return recording;
}

/** Starts an engine on a free port of the loopback interface. */
export async function startEngine(deployment: Deployment): Promise<RunningEngine> {
  const { server, address, close } = await listen();
  return { address, recording: serve(server, deployment), close };
}
