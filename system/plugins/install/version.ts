/** Parts of a version: its numbers, and what stands behind the first hyphen. */
interface Version {
  readonly core: readonly string[];
  /** Null: none, so that it comes after each version that has one. */
  readonly early: readonly string[] | null;
}

/**
 * Compares two versions: below zero where the first is lower, 0 where neither is (SemVer 2.0.0 section 11).
 * What is no SemVer is compared the same way: a missing number counts as 0, and numbers within words count
 * as numbers.
 */
export function compareVersions(one: string, other: string): number {
  const a = parsed(one), b = parsed(other);
  const core = compareParts(a.core, b.core, "0");
  if (core !== 0 || a.early === null || b.early === null) {
    return core || Number(a.early === null) - Number(b.early === null);
  }
  return compareParts(a.early, b.early, "");
}

function parsed(version: string): Version {
  // What is behind a plus says nothing about the order.
  const [text = ""] = version.split("+"), hyphen = text.indexOf("-");
  const core = (hyphen < 0 ? text : text.slice(0, hyphen)).replace(/^v(?=\d)/i, "");
  return { core: core.split("."), early: hyphen < 0 ? null : text.slice(hyphen + 1).split(".") };
}

function compareParts(a: readonly string[], b: readonly string[], missing: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const order = comparePart(a[at] ?? missing, b[at] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers come before words. */
function comparePart(a: string, b: string): number {
  const runs = (text: string): readonly string[] => text.match(/\d+|\D+/g) ?? [];
  const [left, right] = [runs(a), runs(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [x, y] = [left[at], right[at]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [isNumber, isOther] = [/^\d/.test(x), /^\d/.test(y)];
    if (isNumber !== isOther) return isNumber ? -1 : 1;
    const order = isNumber ? compareDigits(x, y) : compareText(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

/** Of any length. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+(?=\d)/, ""), b.replace(/^0+(?=\d)/, "")];
  return x.length - y.length || compareText(x, y);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
