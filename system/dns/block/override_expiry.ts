import type { Alarm } from "../../core/time/timeouts.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { type DueTimer, startDueTimer } from "../../core/time/due_timer.ts";
import { blockDocument } from "./document.ts";
import type { DomainOverride, OverrideList } from "./schema.ts";

/** Dependencies of {@link startOverrideExpiry}. */
export interface OverrideExpiryDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly bus: Pick<Bus, "subscribe">;
  /** A lower bound of the time in unix milliseconds, so that a wrong clock removes nothing. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: (error: unknown) => void;
}

/**
 * Removes overrides from the configuration at the second at which they expire. The resolver ignores
 * them from then on anyway; this keeps the file and the API in step.
 */
export function startOverrideExpiry(deps: OverrideExpiryDeps): DueTimer {
  const { engine, now } = deps;
  const next = (): number | null => nextExpiration(engine.config);
  return startDueTimer({
    ...deps,
    topic: blockDocument.topic,
    minSleep: 1,
    next,
    async act() {
      const at = now(), due = next();
      if (due === null || due > at) return;
      await engine.change({
        kind: "dns.override.expire",
        summary: "Automatic: removed expired overrides",
        reduce: (config) => removeExpired(config, at),
      }, { caller: { by: "expiry", from: null, connection: null }, observation: true });
    },
  });
}

/** Unix milliseconds of the next expiration; null for none. */
function nextExpiration(config: Config): number | null {
  let next = Infinity;
  for (const list of config.dnsBlock.OverrideLists) {
    for (const { Expiration } of [...list.PermitDomains, ...list.BlockDomains]) {
      if (Expiration > 0) next = Math.min(next, Expiration * 1000);
    }
  }
  return next === Infinity ? null : next;
}

/** Removes expired overrides; the same configuration when there are none. */
function removeExpired(config: Config, now: number): [Config, void] {
  const next = nextExpiration(config);
  if (next === null || next > now) return [config, undefined];
  const isActive = ({ Expiration }: DomainOverride): boolean =>
    Expiration === 0 || Expiration * 1000 > now;
  const OverrideLists = config.dnsBlock.OverrideLists.map((list): OverrideList => {
    const PermitDomains = list.PermitDomains.filter(isActive);
    const BlockDomains = list.BlockDomains.filter(isActive);
    const same = PermitDomains.length === list.PermitDomains.length &&
      BlockDomains.length === list.BlockDomains.length;
    return same ? list : { ...list, PermitDomains, BlockDomains };
  });
  return [{ ...config, dnsBlock: { ...config.dnsBlock, OverrideLists } }, undefined];
}
