import type { IwRegulatory } from "./schema.ts";

const COUNTRY = /^country ([A-Z0-9]{2}): (\S+)/;
const BAND =
  /^\s*\((\d+) - (\d+) @ (\d+)\), \((N\/A|-?\d+), (N\/A|-?\d+)\), \((?:N\/A|\d+ ms)\)(.*)$/;

/**
 * Reads the output of `iw reg get`: the first domain, which holds for all radios. Null where there is
 * none.
 */
export function parseRegulatory(output: string): IwRegulatory | null {
  let domain: { country: string; dfs: string | null; bands: IwRegulatory["bands"] } | null = null;
  for (const line of output.split("\n")) {
    const country = COUNTRY.exec(line);
    if (country !== null) {
      if (domain !== null) break;
      const [, name, dfs] = country;
      domain = { country: name!, dfs: dfs === "DFS-UNSET" ? null : dfs!, bands: [] };
      continue;
    }
    const band = BAND.exec(line);
    if (band === null || domain === null) continue;
    const [, start, end, width, gain, power, flags] = band;
    domain.bands.push({
      start: Number(start),
      end: Number(end),
      max_bandwidth: Number(width),
      max_antenna_gain: gain === "N/A" ? null : Number(gain),
      max_eirp: power === "N/A" ? null : Number(power),
      flags: flags!.split(",").map((flag) => flag.trim()).filter((flag) => flag !== ""),
    });
  }
  return domain;
}
