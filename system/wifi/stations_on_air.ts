import type { StationLines, StationOnAir } from "./control_schema.ts";
import { parseStations } from "./iw/stations.ts";

/** Tools that run at the same time, one for each interface of a station. */
const MAX_PROCESSES = 4;

/** Interface of a station: its own, or that of a network whose stations are not isolated. */
export function stationLink(network: string, { vlan_id }: StationLines[string]): string {
  return vlan_id === undefined || vlan_id === "0" ? network : `${network}.${vlan_id}`;
}

/** Dependencies of {@link stationsOnAir}. */
export interface StationsOnAirDeps {
  /** Networks that are on the air. */
  readonly networks: readonly string[];
  /** Stations of a network. Throws Problem. */
  readonly stations: (network: string) => Promise<StationLines>;
  /** What `iw` prints of the stations of an interface. Throws Problem. */
  readonly iwStations: (link: string) => Promise<string>;
}

/** Stations that have joined a network, with what the kernel counts of each; `mac` "": all. */
export async function stationsOnAir(
  { networks, stations, iwStations }: StationsOnAirDeps,
  mac: string,
): Promise<StationOnAir[]> {
  const found: Omit<StationOnAir, "counters">[] = [];
  for (const network of networks) {
    for (const [station, lines] of Object.entries(await stations(network))) {
      if (mac !== "" && station !== mac || !lines["flags"]?.includes("[AUTHORIZED]")) continue;
      found.push({ network, mac: station, link: stationLink(network, lines), lines });
    }
  }
  const links = [...new Set(found.map(({ link }) => link))];
  const counted = new Map<string, ReturnType<typeof parseStations>>();
  const count = async (): Promise<void> => {
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      counted.set(link, parseStations(await iwStations(link)));
    }
  };
  await Promise.all(Array.from({ length: MAX_PROCESSES }, count));
  return found.map((one) => ({ ...one, counters: counted.get(one.link)?.get(one.mac) ?? null }));
}
