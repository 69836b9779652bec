/** Opening and closing codes (ECMA-48, Select Graphic Rendition). */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;
/** Puts a style on a text, or leaves the text alone. */
export type Paint = (style: Style, text: string) => string;

/** Colours are for people: on a terminal, unless `--no-color`, `NO_COLOR` (no-color.org) or `TERM=dumb` speaks against. */
export function wantsColor(stream: { isTTY?: boolean | undefined }, allowed: boolean, env = process.env): boolean {
  return allowed && stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

export function painter(color: boolean): Paint {
  if (!color) return (_, text) => text;
  return (style, text) => `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m`;
}

/** One line on a terminal that is overwritten as work goes on. Does nothing anywhere else. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    // Some terminals do not tell their width, or say 0.
    const width = this.#stream.columns > 0 ? this.#stream.columns : 80;
    if (this.#stream.isTTY) this.#stream.write(`\r\u001b[2K${text.slice(0, width - 1)}`);
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\u001b[2K");
  }
}
