import { normalizeMac } from "../../core/net/net.ts";
import type { StationCounters } from "../control_schema.ts";
import { labelled, outline } from "./outline.ts";

/** Frames to each station by MAC address, from the output of `iw dev wlan0 station dump`. */
export function parseStations(output: string): ReadonlyMap<string, StationCounters> {
  return new Map(
    outline(output).flatMap(({ text, children }) => {
      const mac = normalizeMac(/^Station (\S+) \(on \S+\)$/.exec(text)?.[1] ?? "");
      if (mac === null) return [];
      const count = (label: string): number => {
        const line = children.map((child) => labelled(child.text))
          .find((part) => part?.label === label);
        return /^\d{1,15}$/.test(line?.value ?? "") ? Number(line!.value) : 0;
      };
      const counters = {
        sent: count("tx packets"),
        retries: count("tx retries"),
        failed: count("tx failed"),
      };
      return [[mac, counters] as const];
    }),
  );
}
