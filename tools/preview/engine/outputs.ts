import { isObject, isSecretValue, type Properties, revealed, secret, unknownText, type Value } from "./values";

/**
 * Inputs echo as outputs. What the provider computes is added: in a dry run as unknown, and only inside objects that the
 * inputs hold, since an output that is missing altogether is unknown to the program anyhow.
 */
export function outputsOf(inputs: Properties, computed: Properties, dryRun: boolean): Properties {
  const merge = (input: Value | undefined, addition: Value, depth: number): Value => {
    if (input === unknownText) return dryRun ? input : addition;
    if (input !== undefined && isSecretValue(input)) return secret(merge(revealed(input), addition, depth));
    if (isObject(addition) && (isObject(input) || (input === undefined && depth > 0))) {
      const merged: Properties = isObject(input) ? { ...input } : {};
      for (const [key, value] of Object.entries(addition)) merged[key] = merge(merged[key], value, depth + 1);
      return merged;
    }
    if (!dryRun) return addition;
    return input ?? unknownText;
  };
  const outputs: Properties = { ...inputs };
  for (const [key, value] of Object.entries(computed)) {
    if (dryRun && inputs[key] === undefined) continue;
    outputs[key] = merge(inputs[key], value, 0);
  }
  return outputs;
}

/** Marks the outputs of these names secret, as `additionalSecretOutputs` asks. */
export function withSecrets(outputs: Properties, names: readonly string[]): Properties {
  const marked = { ...outputs };
  for (const name of names) {
    const value = marked[name];
    if (value !== undefined) marked[name] = secret(value);
  }
  return marked;
}
