import type { Probed, ProbeReport } from "../plan_schema.ts";

/** Milliseconds for which an answer is waited for. */
export const PATIENCE = 2000;

/** Asks one address through one link; milliseconds until it answered, or null. */
export type Ask = (probe: {
  readonly link: string;
  readonly address: string;
  readonly milliseconds: number;
}) => Promise<number | null>;

/** One round: every target of every uplink at once; the best answer of each uplink counts. */
export async function probeRound(
  probes: readonly Probed[],
  ask: Ask,
): Promise<ProbeReport> {
  const items = await Promise.all(
    probes.filter(({ targets }) => targets.length > 0).map(async ({ name, link, targets }) => {
      const answers = await Promise.all(
        targets.map((address) => ask({ link, address, milliseconds: PATIENCE }).catch(() => null)),
      );
      const came = answers.filter((one) => one !== null);
      return { name, latency: came.length === 0 ? null : Math.min(...came) };
    }),
  );
  return { items };
}
