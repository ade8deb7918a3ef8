/** What a band of a radio can do: the capability words of `iw phy`, as 802.11 defines their bits. */
export interface RadioCapabilities {
  /** HT capability information (IEEE 802.11-2020 9.4.2.55.2); null: no 802.11n. */
  readonly ht: number | null;
  /** VHT capability information (9.4.2.157.2); null: no 802.11ac. */
  readonly vht: number | null;
  readonly he: boolean;
  readonly eht: boolean;
}

const HT_BITS: Readonly<Record<string, (word: number) => boolean>> = {
  "LDPC": (word) => bit(word, 0),
  "HT40+": (word) => bit(word, 1),
  "HT40-": (word) => bit(word, 1),
  "GF": (word) => bit(word, 4),
  "SHORT-GI-20": (word) => bit(word, 5),
  "SHORT-GI-40": (word) => bit(word, 6),
  "TX-STBC": (word) => bit(word, 7),
  "RX-STBC1": (word) => field(word, 8, 2) >= 1,
  "RX-STBC12": (word) => field(word, 8, 2) >= 2,
  "RX-STBC123": (word) => field(word, 8, 2) >= 3,
  "DELAYED-BA": (word) => bit(word, 10),
  "MAX-AMSDU-7935": (word) => bit(word, 11),
  "DSSS_CCK-40": (word) => bit(word, 12),
  "LSIG-TXOP-PROT": (word) => bit(word, 15),
};

const VHT_BITS: Readonly<Record<string, (word: number) => boolean>> = {
  "MAX-MPDU-7991": (word) => field(word, 0, 2) >= 1,
  "MAX-MPDU-11454": (word) => field(word, 0, 2) >= 2,
  "VHT160": (word) => field(word, 2, 2) >= 1,
  "VHT160-80PLUS80": (word) => field(word, 2, 2) >= 2,
  "RXLDPC": (word) => bit(word, 4),
  "SHORT-GI-80": (word) => bit(word, 5),
  "SHORT-GI-160": (word) => bit(word, 6),
  "TX-STBC-2BY1": (word) => bit(word, 7),
  "RX-STBC-1": (word) => field(word, 8, 3) >= 1,
  "RX-STBC-12": (word) => field(word, 8, 3) >= 2,
  "RX-STBC-123": (word) => field(word, 8, 3) >= 3,
  "RX-STBC-1234": (word) => field(word, 8, 3) >= 4,
  "SU-BEAMFORMER": (word) => bit(word, 11),
  "SU-BEAMFORMEE": (word) => bit(word, 12),
  "MU-BEAMFORMER": (word) => bit(word, 19),
  "VHT-TXOP-PS": (word) => bit(word, 21),
  "HTC-VHT": (word) => bit(word, 22),
  "RX-ANTENNA-PATTERN": (word) => bit(word, 28),
  "TX-ANTENNA-PATTERN": (word) => bit(word, 29),
};

function bit(word: number, at: number): boolean {
  return field(word, at, 1) === 1;
}

function field(word: number, at: number, length: number): number {
  return (word >>> at) & ((1 << length) - 1);
}

/** The bracketed words of a list of capabilities. */
function capabilityText(list: string): readonly string[] {
  return [...list.matchAll(/\[([^\]]*)\]/g)].map(([, word]) => word!);
}

/**
 * The capabilities of a list that the radio has: hostapd refuses any other. A word that is not known
 * here stays, so that hostapd decides.
 */
export function supportedCapabilities(
  list: string,
  kind: "ht" | "vht",
  radio: RadioCapabilities | null,
): readonly string[] {
  const words = capabilityText(list);
  const word = radio?.[kind];
  if (radio === null || word === undefined) return words;
  if (word === null) return [];
  const bits = kind === "ht" ? HT_BITS : VHT_BITS;
  return words.filter((name) => {
    const exponent = /^MAX-A-MPDU-LEN-EXP(\d)$/.exec(name)?.[1];
    if (exponent !== undefined) return Number(exponent) <= field(word, 23, 3);
    return bits[name]?.(word) ?? true;
  });
}
