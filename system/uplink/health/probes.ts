import type { ProbedUplink, ProbeReport } from "../plan_schema.ts";

/** Milliseconds to wait for a reply. */
const REPLY_TIMEOUT_MS = 2000;

/** Pings one address through one interface: round-trip milliseconds, or null. */
export type SendProbe = (probe: {
  readonly link: string;
  readonly address: string;
  readonly milliseconds: number;
}) => Promise<number | null>;

/** One round of health checks: every target of every uplink at once; the best reply of each counts. */
export async function probeRound(
  probes: readonly ProbedUplink[],
  sendProbe: SendProbe,
): Promise<ProbeReport> {
  const items = await Promise.all(
    probes.filter(({ targets }) => targets.length > 0).map(async ({ name, link, targets }) => {
      const replies = await Promise.all(
        targets.map((address) =>
          sendProbe({ link, address, milliseconds: REPLY_TIMEOUT_MS }).catch(() => null)
        ),
      );
      const times = replies.filter((one) => one !== null);
      return { name, latency: times.length === 0 ? null : Math.min(...times) };
    }),
  );
  return { items };
}
