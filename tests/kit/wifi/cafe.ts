import type { Lab } from "../lab/lab.ts";
import type { LabProcess } from "../lab/command.ts";
import { giveRadio } from "./simulated_radios.ts";

/**
 * A network of a café, and the one of its neighbour, whose name would forge a line of a scan. Each with
 * its name as `iw` writes it.
 */
export const CAFE = {
  ssid: 'Café 😀 "2"',
  scanned: String.raw`Caf\xc3\xa9 \xf0\x9f\x98\x80 "2"`,
  password: `coffee #"' \\ 2 go`,
} as const;
export const FORGED = {
  ssid: "\x1b[m\nBSS 02:66:66:66:66:66(on x)",
  scanned: String.raw`\x1b[m\x0aBSS 02:66:66:66:66:66(on x)`,
  password: "not for everybody",
} as const;

/** Addresses of the café's own router, and of the first part of those that it leases. */
const ROUTER = "100.64.9.1";
export const LEASED = /^100\.64\.9\.\d+$/;
const RADIO = "wlan5";
/** What is requested to find a portal. */
export const PORTAL_CHECK = `http://${ROUTER}:8080/nm`;
/** Where the portal sends everybody who has not signed in. */
export const PORTAL = `http://${ROUTER}:8080/welcome`;

/** A café beside the router, whose network leads to the Internet by a captive portal. */
export class Cafe {
  readonly #folder: string;
  readonly #access: LabProcess;

  private constructor(folder: string, access: LabProcess) {
    this.#folder = folder;
    this.#access = access;
  }

  /** Opens it in the lab's Internet, with a radio that is still this machine's. */
  static async open(lab: Lab): Promise<Cafe> {
    await giveRadio(lab, RADIO, "wan");
    const folder = await Deno.makeTempDir({ prefix: "sluice-cafe-" });
    await Deno.writeTextFile(`${folder}/hostapd.conf`, hostapdFile());
    const access = lab.spawn("wan", "hostapd", [`${folder}/hostapd.conf`]);
    const cafe = new Cafe(folder, access);
    await cafe.#answer(`302 Found\r\nlocation: ${PORTAL}`);
    await access.line(/AP-ENABLED/);
    await lab.must("wan", "ip", ["address", "add", `${ROUTER}/24`, "dev", RADIO]);
    lab.spawn("wan", "dnsmasq", [
      ...["--no-daemon", "--conf-file=/dev/null", "--port=0", "--bind-interfaces", "--no-ping"],
      ...[`--interface=${RADIO}`, "--dhcp-range=100.64.9.50,100.64.9.90,10m"],
      ...["--dhcp-authoritative", "--dhcp-leasefile=/dev/null"],
    ]);
    // The request is read first: what is closed with bytes unread is reset.
    const page = `SYSTEM:read -r line; cat ${folder}/answer`;
    lab.spawn("wan", "socat", [`TCP4-LISTEN:8080,bind=${ROUTER},fork,reuseaddr`, page]);
    return cafe;
  }

  /** Lets everybody through from now on. */
  async signIn(): Promise<void> {
    await this.#answer("204 No Content");
  }

  async close(): Promise<void> {
    await this.#access.stop();
    await Deno.remove(this.#folder, { recursive: true });
  }

  /** What every request of a page gets. */
  async #answer(head: string): Promise<void> {
    const text = `HTTP/1.1 ${head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
    await Deno.writeTextFile(`${this.#folder}/answer`, text);
  }
}

/** Both networks, on one radio. */
function hostapdFile(): string {
  const network = ({ ssid, password }: typeof CAFE | typeof FORGED): readonly string[] => [
    `ssid2=${new TextEncoder().encode(ssid).toHex()}`,
    ...["wpa=2", "wpa_key_mgmt=WPA-PSK SAE", "rsn_pairwise=CCMP", `wpa_passphrase=${password}`],
    ...["ieee80211w=1", "sae_require_mfp=1", "sae_pwe=2"],
  ];
  return [
    ...[`interface=${RADIO}`, "driver=nl80211", "country_code=US", "hw_mode=g", "channel=11"],
    ...network(CAFE),
    `bss=${RADIO}b`,
    ...network(FORGED),
    "",
  ].join("\n");
}
