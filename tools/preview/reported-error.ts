export const exitCodes = {
  fine: 0,
  /** A mandatory policy is violated, or the configuration is wrong. */
  refused: 1,
  usage: 2,
  programFailed: 3,
} as const;

/** An error whose message is all that a user needs: it ends the preview with its exit code and without a stack. */
export class ReportedError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}
