import type { PlannedBss, StationKey } from "../plan_schema.ts";

/** A WPA2 password of a network; without a MAC address anyone may use it. */
export interface PskEntry {
  readonly identity: string;
  readonly mac: string;
  readonly psk: string;
}

/** A password that waits for a device. */
export interface WaitingKey {
  readonly identity: string;
  readonly psk: string;
}

/** The passwords of one network. */
export interface NetworkPasswords {
  readonly wpa2: readonly PskEntry[];
  /** WPA3 passwords by MAC address. */
  readonly sae: Readonly<Record<string, string>>;
  /**
   * The password that an unknown station may use by WPA3. hostapd 2.10 tries one password for each
   * station, so the others wait in line.
   */
  readonly waiting: WaitingKey | null;
}

/** Address of an entry that any station may use, in hostapd's file of WPA2 keys. */
const ANY_STATION = "00:00:00:00:00:00";
/** The same among WPA3 passwords. */
const EVERY_STATION = "ff:ff:ff:ff:ff:ff";

/**
 * The passwords of a network with a password per device. A WPA3 device has no WPA2 key where the
 * network offers WPA3: a change of WPA2 keys makes every WPA3 station reconnect. On a network that
 * offers only one of the two, all devices use that one.
 */
export function passwordsOf(network: PlannedBss, keys: readonly StationKey[]): NetworkPasswords {
  const sae = network.keyManagement.includes("SAE");
  const psk = network.keyManagement.some((word) => word !== "SAE");
  const isSae = ({ type, psk: text }: StationKey): boolean =>
    // hostapd reads what follows a bar as its own; older settings may have one.
    sae && (type === "sae" || !psk) && !text.includes("|");
  const bySae = keys.filter(isSae);
  const byPsk = keys.filter((key) => psk && !isSae(key));
  const waiting = bySae.find(({ mac }) => mac === "");
  return {
    wpa2: byPsk.map(({ identity, mac, psk }) => ({ identity, mac, psk })),
    sae: Object.fromEntries(
      bySae.filter(({ mac }) => mac !== "").map(({ mac, psk }) => [mac, psk]),
    ),
    waiting: waiting === undefined ? null : { identity: waiting.identity, psk: waiting.psk },
  };
}

/** The file of WPA2 keys. `pmk`: the key of a password in 64 hexadecimal digits. */
export function pskFileText(
  entries: readonly PskEntry[],
  pmk: (psk: string) => string,
): string {
  return entries.map(({ identity, mac, psk }) =>
    `keyid=${identity} ${mac === "" ? ANY_STATION : mac} ${pmk(psk)}\n`
  ).join("");
}

/** What a running hostapd knows of a network's passwords. */
export interface StandingPasswords extends NetworkPasswords {
  /** Entries in hostapd's list of WPA3 passwords, which only grows. */
  readonly entries: number;
}

/** Passwords of a network whose hostapd was started with {@link saeValues}. */
export function startedWith(passwords: NetworkPasswords): StandingPasswords {
  return { ...passwords, entries: saeValues(passwords).length };
}

/**
 * Values of `sae_password` for a start, in the order of the file. hostapd tries the last line first
 * and takes the first that fits the address, so the one for every station comes before the others.
 */
export function saeValues({ sae, waiting }: NetworkPasswords): readonly string[] {
  return [
    ...(waiting === null ? [] : [value(waiting.psk, EVERY_STATION)]),
    ...Object.entries(sae).map(([mac, psk]) => value(psk, mac)),
  ];
}

function value(psk: string, mac: string): string {
  return `${psk}|mac=${mac}`;
}

/** What brings a running hostapd from one state of WPA3 passwords to another. */
export interface PasswordChange {
  /** Commands for the control socket, in order. They hold passwords. */
  readonly commands: readonly string[];
  /** True where the file of WPA2 keys is to be read anew. */
  readonly reload: boolean;
  /** Stations whose password, of either kind, is no longer what it was. */
  readonly disconnect: readonly string[];
  readonly next: StandingPasswords;
}

/** How {@link changePasswords} makes its entries. */
export interface PasswordMaking {
  /** Makes a password that nobody knows. */
  readonly secret: () => string;
  /** The network's `sae_pwe`. */
  readonly hashToElement: number;
}

/**
 * The change from what stands to what is wanted. An entry for WPA3 cannot be removed from a running
 * hostapd; a newer one for the same address takes its place, with a password that nobody knows where
 * the device is gone. `standing` null: what stands is not known, and everything is said anew.
 */
export function changePasswords(
  standing: StandingPasswords | null,
  wanted: NetworkPasswords,
  { secret, hashToElement }: PasswordMaking,
): PasswordChange {
  const before = standing ?? { wpa2: [], sae: {}, waiting: null, entries: 0 };
  const macs = Object.keys(wanted.sae);
  const gone = Object.keys(before.sae).filter((mac) => !(mac in wanted.sae));
  const changed = macs.filter((mac) => before.sae[mac] !== wanted.sae[mac]);
  const everyone = wanted.waiting?.psk ?? null;
  const values = standing === null || before.waiting?.psk !== wanted.waiting?.psk
    // The entry for every station covers all older ones; those of devices come on top of it again.
    ? [
      value(everyone ?? secret(), EVERY_STATION),
      ...macs.map((mac) => value(wanted.sae[mac]!, mac)),
    ]
    : [
      // A device that was deleted may be the one that the waiting password is for.
      ...gone.map((mac) => value(everyone ?? secret(), mac)),
      ...changed.map((mac) => value(wanted.sae[mac]!, mac)),
    ];
  const revoked = [...gone, ...changed.filter((mac) => mac in before.sae)];
  const keyOf = ({ identity, mac }: PskEntry): string => `${identity} ${mac}`;
  const wpa2 = new Map(wanted.wpa2.map((entry) => [keyOf(entry), entry.psk]));
  const lost = before.wpa2
    .filter((entry) => entry.mac !== "" && wpa2.get(keyOf(entry)) !== entry.psk)
    .map(({ mac }) => mac);
  return {
    commands: [
      // hostapd derives the elements of all passwords after each entry unless that is off meanwhile.
      ...(values.length === 0 ? [] : [
        "SET sae_pwe 0",
        ...values.map((text) => `SET sae_password ${text}`),
        `SET sae_pwe ${hashToElement}`,
      ]),
      ...(revoked.length === 0 ? [] : ["PMKSA_FLUSH"]),
    ],
    reload: standing === null || JSON.stringify(before.wpa2) !== JSON.stringify(wanted.wpa2),
    disconnect: [...new Set([...revoked, ...lost])],
    next: { ...wanted, entries: before.entries + values.length },
  };
}
