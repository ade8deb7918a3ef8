/** What nft lists, without the table of traffic, in which the kernel itself notes addresses. */
export function withoutTraffic(listing: string): string {
  return listing.replace(/^table ip accounting \{[^]*?^\}$/m, "");
}

/** The lines of what nft lists, with elements in one order: two listings of equal rules are equal. */
export function orderedListing(listing: string): readonly string[] {
  return withoutTraffic(listing).replace(
    /elements = \{([^}]*)\}/g,
    (_, list: string) =>
      `elements = { ${list.split(",").map((one) => one.trim()).sort().join(", ")} }`,
  )
    .split("\n").filter((line) => line.trim() !== "").sort();
}
