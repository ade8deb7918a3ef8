/** How the version of another router compares with ours. */
export type VersionRelation = "same" | "older" | "newer" | "unknown";

/**
 * Compares two release tags, `v0.3.1`. `older`: theirs is older than ours. A pre-release, `v0.3.1-dev`,
 * comes before its release (Semantic Versioning 2.0.0, section 11); what is no version is unknown.
 */
export function compareVersions(ours: string, theirs: string): VersionRelation {
  const [a, b] = [parse(ours), parse(theirs)];
  if (a === null || b === null) return "unknown";
  for (const [at, number] of a.numbers.entries()) {
    if (number !== b.numbers[at]!) return b.numbers[at]! < number ? "older" : "newer";
  }
  if (a.pre === b.pre) return "same";
  if (a.pre === "") return "older";
  if (b.pre === "") return "newer";
  return b.pre < a.pre ? "older" : "newer";
}

function parse(text: string): { readonly numbers: readonly number[]; readonly pre: string } | null {
  const match = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+.*)?$/.exec(
    text.trim(),
  );
  return match === null ? null : { numbers: match.slice(1, 4).map(Number), pre: match[4] ?? "" };
}
