import type { Probed, ProbeReport } from "../plan_schema.ts";

/** Milliseconds to wait for a reply. */
export const REPLY_TIMEOUT_MS = 2000;

/** Pings one address through one link: round-trip milliseconds, or null. */
export type Ask = (probe: {
  readonly link: string;
  readonly address: string;
  readonly milliseconds: number;
}) => Promise<number | null>;

/** One round of health checks: every target of every uplink at once; the best reply of each counts. */
export async function probeRound(
  probes: readonly Probed[],
  ask: Ask,
): Promise<ProbeReport> {
  const items = await Promise.all(
    probes.filter(({ targets }) => targets.length > 0).map(async ({ name, link, targets }) => {
      const answers = await Promise.all(
        targets.map((address) =>
          ask({ link, address, milliseconds: REPLY_TIMEOUT_MS }).catch(() => null)
        ),
      );
      const came = answers.filter((one) => one !== null);
      return { name, latency: came.length === 0 ? null : Math.min(...came) };
    }),
  );
  return { items };
}
