import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/fault.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Name } from "../../parts/name.tsx";
import { clock, day } from "../../time.ts";
import { useLoaded } from "../use_loaded.ts";
import type { Outage } from "./wire.ts";
import { lengthWords } from "./words.ts";

/** Outages that are drawn at once. */
const SHOWN = 20;

/** Times without an uplink, the latest first. */
export function Outages({ pulse }: { pulse: number }): VNode {
  const loaded = useLoaded<readonly Outage[]>({ path: "/wan/outages" }, [pulse]);
  const shown = useSignal(SHOWN);
  const list = loaded.body ?? [];
  return (
    <section class="panel" aria-labelledby="outages">
      <header>
        <h2 id="outages">Outages</h2>
      </header>
      {loaded.problem !== null && (
        <Fault heed title="Outages are not known.">{loaded.problem.message}</Fault>
      )}
      {loaded.body === null
        ? loaded.problem === null && <Loading what="outages" rows={2} />
        : list.length === 0
        ? <p class="pad s quiet">None so far.</p>
        : (
          <ul class="rows">
            {list.slice(0, shown.value).map((one) => (
              <li key={`${one.Iface} ${one.Start}`}>
                <span class={one.End === 0 ? "dot heed" : "dot off"} aria-hidden="true" />
                <div class="grow">
                  <b>
                    <Name>{one.Iface}</Name>
                  </b>
                  <p>
                    <Name>{one.Reason}</Name>, {day(one.Start * 1000)}, {clock(one.Start * 1000)}
                  </p>
                </div>
                <span class="s quiet">
                  {one.End === 0 ? "lasts" : lengthWords(one.End - one.Start)}
                </span>
              </li>
            ))}
          </ul>
        )}
      {list.length > shown.value && (
        <footer>
          <button class="btn small" type="button" onClick={() => shown.value += SHOWN}>
            {list.length - shown.value} more
          </button>
        </footer>
      )}
    </section>
  );
}
