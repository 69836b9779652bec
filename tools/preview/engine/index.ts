export { startEngine, type RunningEngine } from "./engine";
export { type Deployment } from "./monitor";
export { runProgram, type ProgramOptions, type ProgramResult } from "./program";
export {
  compare,
  inTreeOrder,
  stackType,
  type Invocation,
  type LogMessage,
  type Recording,
  type Resource,
  type ResourceOptions,
  type Severity,
} from "./recording";
export { accountKey, azureStandIn, type Created, type StandIn } from "./stand-in";
export { isSecretValue, lookUp, plain, redacted, secret, unknown, type Properties, type Value } from "./values";
