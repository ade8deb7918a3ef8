import type { Config } from "../config.ts";
import type { Bus } from "../core/bus.ts";
import type { ChangeEngine } from "../core/change.ts";

/** Longest wait for a change, in milliseconds; the asker then asks again and so shows that it lives. */
const LONGEST = 20_000;
/** How often the state of the network is looked at while someone waits, in milliseconds. */
const LOOK = 500;

/** Links on which addresses are to be leased now: none while nothing is applied. */
export function servedLinks(engine: Pick<ChangeEngine<Config>, "config" | "network">): string[] {
  if (engine.network.state !== "applied") return [];
  return engine.config.interfaces
    .filter(({ Type, Enabled }) => Type === "Downlink" && Enabled)
    .map(({ Name }) => Name)
    .sort();
}

/** Waits until the links to serve are others than these, or for {@link LONGEST}; answers them. */
export async function changedLinks(
  deps: {
    readonly engine: Pick<ChangeEngine<Config>, "config" | "network">;
    readonly bus: Pick<Bus, "subscribe">;
    readonly ending: AbortSignal;
  },
  known: readonly string[],
): Promise<string[]> {
  const { engine, bus, ending } = deps;
  const differs = () => servedLinks(engine).join() !== known.join();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => (differs() || ending.aborted) && resolve();
  const unsubscribe = bus.subscribe(look);
  const timer = setInterval(look, LOOK);
  const late = setTimeout(resolve, LONGEST);
  look();
  await promise;
  unsubscribe();
  clearInterval(timer);
  clearTimeout(late);
  return servedLinks(engine);
}
