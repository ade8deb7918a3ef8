import type { DfsChannel, RadarLog } from "./schema.ts";

/** Seconds of listening where hostapd does not say how many. */
const CAC_SECONDS = 60;

/** The log after an event of hostapd; the same object for one that says nothing of radar. `now`: unix ms. */
export function afterRadarEvent(log: RadarLog, event: string, now: number): RadarLog {
  const name = /^DFS-[A-Z-]+/.exec(event)?.[0];
  const mhz = Number(/\bfreq=(\d{4})\b/.exec(event)?.[1] ?? 0);
  switch (name) {
    case "DFS-CAC-START": {
      const seconds = Number(/\bcac_time=(\d{1,5})s?\b/.exec(event)?.[1] ?? CAC_SECONDS);
      return { ...log, listening: mhz, until: now + seconds * 1000 };
    }
    case "DFS-CAC-COMPLETED":
      return { ...log, listening: 0, until: 0 };
    case "DFS-RADAR-DETECTED":
      return { listening: 0, until: 0, seenAt: now, seenOn: mhz, movedTo: 0 };
    case "DFS-NEW-CHANNEL":
      return log.seenAt === 0 ? log : { ...log, movedTo: mhz };
    default:
      return log;
  }
}

/** DFS states of `iw phy … channels`. */
export function parseDfsChannels(output: string): readonly DfsChannel[] {
  const found: DfsChannel[] = [];
  let mhz = 0;
  for (const line of output.split("\n").slice(0, 5000)) {
    const head = /^\s*\* (\d{4})(?:\.\d+)? MHz\b/.exec(line);
    if (head !== null) mhz = Number(head[1]);
    const state = /^\s*DFS state: (usable|available|unavailable)(?: \(for (\d{1,10}) sec\))?/.exec(
      line,
    );
    if (state !== null && mhz !== 0) {
      found.push({
        frequency: mhz,
        state: state[1] as DfsChannel["state"],
        seconds: Number(state[2] ?? 0),
      });
    }
  }
  return found;
}
