import * as pulumi from "@pulumi/pulumi";

/**
 * The value of an output, to assert on after `await`. Rejects when what the output depends on failed. Never settles for a
 * value that is unknown in a dry run: assert on recorded inputs there.
 */
export function valueOf<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve, reject) => {
    const settled = pulumi.output(output).apply((value) => {
      resolve(value);
    });
    void pulumi.recover(settled, (error) => {
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}
