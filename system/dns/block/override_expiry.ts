import type { Alarm } from "../../core/time/alarm.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import { blockDocument } from "./document.ts";
import type { DomainOverride, OverrideList } from "./schema.ts";

/** What the timer needs; the clock and the alarm come from outside so that tests own time. */
export interface OverrideExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly bus: Pick<Bus, "subscribe">;
  /** The time that it is at least, unix milliseconds: a clock that is wrong for a while ends none. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/**
 * Takes overrides out of the configuration at the second at which they end. The resolver heeds that
 * second by itself; this keeps the file and the answers of the api in step.
 */
export function startOverrideExpiry(deps: OverrideExpiryDeps): DueTimer {
  const { engine, now } = deps;
  const next = (): number | null => nextOverrideEnd(engine.config);
  return startDueTimer({
    ...deps,
    topic: blockDocument.topic,
    shortest: 1,
    next,
    async act() {
      const at = now(), due = next();
      if (due === null || due > at) return;
      await engine.change({
        kind: "dns.override.expire",
        summary: "Take away overrides whose time is over",
        reduce: (config) => endOverrides(config, at),
      }, { caller: { by: "expiry", from: null, connection: null }, observation: true });
    },
  });
}

/** Unix milliseconds at which the next override ends; null when none does. */
function nextOverrideEnd(config: Config): number | null {
  let next = Infinity;
  for (const list of config.dnsBlock.OverrideLists) {
    for (const { Expiration } of [...list.PermitDomains, ...list.BlockDomains]) {
      if (Expiration > 0) next = Math.min(next, Expiration * 1000);
    }
  }
  return next === Infinity ? null : next;
}

/** Takes away every override whose time is over; the same configuration when there is none. */
function endOverrides(config: Config, now: number): [Config, void] {
  const next = nextOverrideEnd(config);
  if (next === null || next > now) return [config, undefined];
  const living = ({ Expiration }: DomainOverride): boolean =>
    Expiration === 0 || Expiration * 1000 > now;
  const OverrideLists = config.dnsBlock.OverrideLists.map((list): OverrideList => {
    const PermitDomains = list.PermitDomains.filter(living);
    const BlockDomains = list.BlockDomains.filter(living);
    const same = PermitDomains.length === list.PermitDomains.length &&
      BlockDomains.length === list.BlockDomains.length;
    return same ? list : { ...list, PermitDomains, BlockDomains };
  });
  return [{ ...config, dnsBlock: { ...config.dnsBlock, OverrideLists } }, undefined];
}
