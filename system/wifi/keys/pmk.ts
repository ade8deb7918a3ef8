/** Rounds of a WPA2 key (IEEE 802.11-2020 J.4.1). */
const PMK_ROUNDS = 4096;
const PMK_BITS = 256;
/** WPA2 keys that are remembered. */
const MAX_PMKS = 4096;

/** WPA2 keys by password and name, remembered: hostapd would compute each of them at every reload. */
export function rememberedPmk(): (
  psk: string,
  ssid: Uint8Array<ArrayBuffer>,
) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (psk, ssid) => {
    const key = `${ssid.toHex()} ${psk}`;
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= MAX_PMKS) known.clear();
      known.set(key, found = derivePmk(psk, ssid));
    }
    return found;
  };
}

async function derivePmk(psk: string, salt: Uint8Array<ArrayBuffer>): Promise<string> {
  const secret = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(psk),
    "PBKDF2",
    false,
    ["deriveBits"],
  );
  const algorithm = { name: "PBKDF2", hash: "SHA-1", salt, iterations: PMK_ROUNDS };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, secret, PMK_BITS)).toHex();
}
