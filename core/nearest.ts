/** Number of single-character insertions, deletions and substitutions that turn `a` into `b` (Levenshtein distance). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? a.length;
}

/** How far a candidate is from what was written: by letters, and closer when one is the other cut short (`production`, `prod`). */
function distance(name: string, candidate: string): number {
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name];
  return short.length >= 3 && long.startsWith(short) ? 1 : editDistance(name, candidate);
}

/**
 * The candidate that `name` was probably meant to be, for error messages. Letter case is ignored.
 * Undefined when nothing is close: more than a third of the longer name would have to change.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const here = distance(name.toLowerCase(), candidate.toLowerCase());
    if (here < bestDistance && here <= Math.ceil(Math.max(name.length, candidate.length) / 3)) {
      best = candidate;
      bestDistance = here;
    }
  }
  return best;
}
