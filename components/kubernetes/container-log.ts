/** Lines that are shown; the first tell more than what fails in their wake. */
const shownLines = 20;

/** How programs mark errors: Triton since 24.06, glog, protobuf, Python, and Triton's own last line. */
const errorMarks = [
  /^\S+ E \d+ \S+:\d+\]/,
  /^E\d{4} /,
  /^\[libprotobuf (ERROR|FATAL) /,
  /^(Traceback|\w+(\.\w+)*(Error|Exception)\b)/,
  /^(error|fatal)\b/i,
  /\b(ERROR|FATAL)\b/,
];

/** What Triton calls errors on every start without a GPU, and where a GPU's metrics cannot be had: nothing fails by them. */
const harmless = /CudaDriverHelper|DCGM|NVML/;

/**
 * The lines of a container's log that tell what went wrong, in order: its errors, and the rows of Triton's table for models
 * that do not load. Each once, 20 at most, the first first. Empty when the log tells of none.
 *
 * The end of a log is no substitute: Triton prints its table of options between the cause and its end.
 */
export function errorLines(log: string): string[] {
  const lines = log.split("\n").map((line) => line.trimEnd());
  const telling = lines.filter(
    (line, index) =>
      (errorMarks.some((mark) => mark.test(line)) && !harmless.test(line)) || isFailedModel(lines, index),
  );
  return [...new Set(telling)].slice(0, shownLines);
}

/** Whether a line is a row `| model | version | UNAVAILABLE: why |`, or one of those that go on with its text. */
function isFailedModel(lines: readonly string[], index: number): boolean {
  while (/^\|(\s+\|){2}/.test(lines[index] ?? "")) index -= 1;
  return /^\|[^|]+\|[^|]+\| UNAVAILABLE/.test(lines[index] ?? "");
}
