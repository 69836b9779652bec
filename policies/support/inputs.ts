import { holdsUnknown, type Pending, Unknown } from "./unknown";

/** What stands at a path of a resource's properties. */
export type Found =
  | { readonly is: "absent" }
  /** Only the deployment will know the value. */
  | { readonly is: "unknown" }
  | { readonly is: "present"; readonly value: unknown };

type Scalar = string | number | boolean;

/** A path such as `networkProfile.networkPlugin`; steps that hold dots need the array form. */
export type Path = string | readonly string[];

const steps = (path: Path): readonly string[] => (typeof path === "string" ? path.split(".") : path);

/** What an object of properties tells the rule that reads it. */
export interface Sink {
  readonly report: (message: string) => void;
  readonly defer: (pending: Pending) => void;
}

/** Ends a rule that cannot go on without a value that is not known yet. */
export class CannotGoOn extends Error {}

/**
 * The properties of a resource, or an object within them. Its `must…` methods report what is wrong, count a missing value
 * as wrong, and note a value that is not known yet, so that the rule ends as "not known yet" instead of as passed.
 */
export class Inputs {
  constructor(
    private readonly root: unknown,
    private readonly sink: Sink,
    /** Place of this object within the properties, for messages. */
    private readonly place = "",
  ) {}

  /** What is there, without any report. An unknown object makes everything within it unknown. */
  read(path: Path): Found {
    const value = this.look(path);
    if (value === undefined || value === null) return { is: "absent" };
    return value instanceof Unknown ? { is: "unknown" } : { is: "present", value };
  }

  /** Whether something is set here; an unknown value counts, since something will be there. */
  has(path: Path): boolean {
    return this.read(path).is !== "absent";
  }

  /**
   * The value, undefined when absent, for what a rule cannot go on without.
   *
   * @throws CannotGoOn, which ends the rule as "not known yet", when it is unknown
   */
  get(path: Path): unknown {
    const value = this.look(path);
    if (value instanceof Unknown) {
      this.defer(path);
      throw new CannotGoOn();
    }
    return value ?? undefined;
  }

  /** The value must be one of these. */
  mustBe(path: Path, ...allowed: readonly [Scalar, ...Scalar[]]): void {
    this.must(path, (value) => (allowed as readonly unknown[]).includes(value), `must be ${allowed.join(" or ")}`);
  }

  /** The value must be there and satisfy the test. `rule` completes the sentence "it ...". */
  must(path: Path, test: (value: unknown) => boolean, rule: string): void {
    const value = this.look(path);
    if (value instanceof Unknown) this.defer(path);
    else if (value === undefined || value === null) this.sink.report(`${this.at(path)} is missing; it ${rule}`);
    else if (!test(value)) this.refuse(path, value, rule);
  }

  /** The value may be absent, but must satisfy the test when it is there. */
  mayOnly(path: Path, test: (value: unknown) => boolean, rule: string): void {
    if (this.has(path)) this.must(path, test, rule);
  }

  /** Something must be set; an unknown value counts. */
  mustBeSet(path: Path, rule: string): void {
    const found = this.read(path);
    if (found.is === "absent" || (found.is === "present" && found.value === "")) {
      this.sink.report(`${this.at(path)} is missing; ${rule}`);
    }
  }

  /** Reports something about a place. */
  report(path: Path, message: string): void {
    this.sink.report(`${this.at(path)} ${message}`);
  }

  /** Notes that the rule needs the unknown value that is here, or within. */
  defer(path: Path): void {
    const unknown = firstUnknown(this.look(path));
    if (unknown) this.sink.defer({ path: this.at(path), sentinel: unknown.sentinel });
  }

  /** The object at a path; empty when there is none. */
  inside(path: Path): Inputs {
    return new Inputs(this.look(path), this.sink, this.at(path));
  }

  /** The elements of a list; none when it is absent. Notes an unknown list. */
  items(path: Path): Inputs[] {
    const value = this.look(path);
    if (value instanceof Unknown) this.defer(path);
    if (!Array.isArray(value)) return [];
    return value.map((item: unknown, index) => new Inputs(item, this.sink, `${this.at(path)}[${index}]`));
  }

  /** This object and all objects within it, as far as they are known. */
  objects(): Inputs[] {
    const root = this.root;
    if (Array.isArray(root))
      return root.flatMap((item: unknown, index) => new Inputs(item, this.sink, `${this.place}[${index}]`).objects());
    if (!isFields(root)) return [];
    return [this, ...Object.keys(root).flatMap((key) => this.inside([key]).objects())];
  }

  /** Names of the properties of this object. */
  keys(): string[] {
    return isFields(this.root) ? Object.keys(this.root) : [];
  }

  /** The same place with other content, such as values merged over their defaults. */
  withContent(content: unknown): Inputs {
    return new Inputs(content, this.sink, this.place);
  }

  private refuse(path: Path, value: unknown, rule: string): void {
    if (holdsUnknown(value)) this.defer(path);
    else this.sink.report(`${this.at(path)} is ${shown(value)}; it ${rule}`);
  }

  private look(path: Path): unknown {
    let value: unknown = this.root;
    for (const step of steps(path)) {
      if (value instanceof Unknown) return value;
      value = isFields(value) ? value[step] : undefined;
    }
    return value;
  }

  private at(path: Path): string {
    const own = steps(path).reduce((text, step) => {
      if (step.includes(".")) return `${text}["${step}"]`;
      return text === "" ? step : `${text}.${step}`;
    }, "");
    return this.place === "" ? own : `${this.place}.${own}`;
  }
}

/** Whether a value is an object, and no list. */
export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unknown);

function firstUnknown(value: unknown): Unknown | undefined {
  if (value instanceof Unknown) return value;
  if (!holdsUnknown(value)) return undefined;
  return Object.values(value as object)
    .map(firstUnknown)
    .find((found) => found !== undefined);
}

const longest = 80;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
