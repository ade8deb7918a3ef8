/** Sets that share the addresses, each of one prefix length. */
const PREFIXES = [20, 24, 32];

/** A table of somebody else's with so many addresses in plain sets, one for each prefix length. */
export function foreignTable(addresses: number): string {
  const each = Math.ceil(addresses / PREFIXES.length);
  const sets = PREFIXES.map((prefix) => {
    const step = 2 ** (32 - prefix);
    const elements = Array.from({ length: each }, (_, i) => dotted((1 << 24) + i * step));
    return `set p${prefix} { type ipv4_addr; elements = { ${elements.join(", ")} } }`;
  });
  const rules = PREFIXES.map((prefix) => {
    const mask = dotted(-(2 ** (32 - prefix)) >>> 0);
    return `ct state new ip daddr & ${mask} @p${prefix} drop`;
  });
  const hook = "type filter hook forward priority -10;";
  return `table inet bench_others { ${sets.join("\n")}\nchain out { ${hook} ${
    rules.join("; ")
  }; }\n}\n`;
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}
