/** Addresses of the hardware that radios had when they were last on the air, by interface. */
export type KnownRadios = Readonly<Record<string, string>>;

/**
 * The name that a radio had before, by the address of its hardware; null where it keeps its name, or is
 * new. The kernel names radios in the order in which it finds them, so that two can change places at
 * a boot; neither may then work with the settings of the other.
 */
export function nameBefore(known: KnownRadios, name: string, mac: string): string | null {
  if (known[name] === mac) return null;
  return Object.keys(known).find((other) => other !== name && known[other] === mac) ?? null;
}

/** What is known once a radio is on the air under a name: nothing else has its hardware. */
export function withRadio(known: KnownRadios, name: string, mac: string): KnownRadios {
  if (known[name] === mac && nameBefore(known, name, mac) === null) return known;
  return { ...withoutHardware(known, mac), [name]: mac };
}

/** What is known once people turned a radio off: it may be used under any name. */
export function withoutHardware(known: KnownRadios, mac: string): KnownRadios {
  return Object.fromEntries(Object.entries(known).filter(([, other]) => other !== mac));
}
