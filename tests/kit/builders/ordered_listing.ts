/** The lines of what nft lists, with elements in one order: two listings of equal rules are equal. */
export function orderedListing(listing: string): readonly string[] {
  return listing.replace(
    /elements = \{([^}]*)\}/g,
    (_, list: string) =>
      `elements = { ${list.split(",").map((one) => one.trim()).sort().join(", ")} }`,
  )
    .split("\n").filter((line) => line.trim() !== "").sort();
}
