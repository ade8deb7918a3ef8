/**
 * The part of a set's name that stands for a group. Plain labels stand for themselves, any other
 * text is written as one number (base 36 of its UTF-16 units), so that no two labels share a name
 * and no label can say anything to nft. Lengths stay below the kernel's 255 characters.
 */
export function groupKey(label: string): string {
  if (/^[a-z][a-z0-9_]{0,63}$/.test(label)) return label;
  let hex = "1"; // A leading one keeps leading zeros.
  for (let i = 0; i < label.length; i++) hex += label.charCodeAt(i).toString(16).padStart(4, "0");
  return `x-${BigInt(`0x${hex}`).toString(36)}`;
}

/** The maps of a group: who may start connections in it, and who may be reached. */
export interface GroupMaps {
  readonly source: string;
  readonly target: string;
  /** The same for whole networks, by link and network. */
  readonly sourceNets: string;
  readonly targetNets: string;
}

/** Names of a group's maps. */
export function groupMaps(label: string): GroupMaps {
  const key = groupKey(label);
  return {
    source: `${key}_src_access`,
    target: `${key}_dst_access`,
    sourceNets: `${key}_src_nets`,
    targetNets: `${key}_dst_nets`,
  };
}
