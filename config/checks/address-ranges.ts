import { type Ipv4Range, overlaps, parseCidr } from "../../core/cidr";
import type { Problem } from "../problem";
import { check } from "./check";

interface Named {
  readonly key: string;
  readonly text: string;
  readonly range: Ipv4Range;
}

const named = (key: string, text: string): Named[] => {
  const range = parseCidr(text);
  return range === undefined ? [] : [{ key, text, range }];
};

/** Smallest network that holds the node subnet and the one for private endpoints. */
const longestPrefix = 20;

/** Ranges that meet would route one region's traffic into another, or a pod's into the node network. */
export const addressRanges = check(["regions", "network"], ({ regions, network }) => {
  const spaces = regions.flatMap(({ addressSpace }, index) => named(`regions[${index}].addressSpace`, addressSpace));
  const overlays = [...named("network.podCidr", network.podCidr), ...named("network.serviceCidr", network.serviceCidr)];
  const problems: Problem[] = spaces
    .filter(({ range }) => range.prefix > longestPrefix)
    .map(({ key, text }) => ({
      key,
      message: `${text} is too small for nodes and private endpoints; use a /${longestPrefix} or larger`,
    }));
  for (const { key, text, range } of overlays.filter((overlay) => overlay.range.prefix > 24)) {
    problems.push({
      key,
      message: `${text} is too small: a node takes a /24 of pods, and Services need room; use a /16 (not /${range.prefix})`,
    });
  }
  const all = [...spaces, ...overlays];
  all.forEach((later, index) => {
    const earlier = all.slice(0, index).find(({ range }) => overlaps(range, later.range));
    if (earlier !== undefined) {
      problems.push({
        key: later.key,
        message: `${later.text} overlaps ${earlier.text} of ${earlier.key}; choose a range of its own`,
      });
    }
  });
  return problems;
});
