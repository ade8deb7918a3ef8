import type { VNode } from "preact";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { ago } from "../../text/time.ts";
import type { HistoryServerState } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Milliseconds between two looks at what waits. */
const LOOK_EVERY = 10_000;

/** How sending the history to its server stands; nothing where there is none. */
export function HistoryServer(): VNode | null {
  const { body } = useLoaded<HistoryServerState>({ path: "/plugins/db/server" }, [
    usePulse(LOOK_EVERY),
  ]);
  if (body === null || body.host === "") return null;
  const { host, waiting, oldestAt, sentAt, failedAt, problem } = body;
  return (
    <section class="panel" aria-labelledby="history-server">
      <header>
        <h2 id="history-server">{t("History server")}</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{host}</b>
            <p class={problem === "" ? undefined : "danger-t"}>
              {problem !== ""
                ? t("Failed {ago}: {problem}", { ago: ago(failedAt), problem })
                : sentAt === 0
                ? t("Nothing sent yet")
                : t("Sent {ago}", { ago: ago(sentAt) })}
            </p>
            {waiting > 0 && (
              <p>
                {tn("{count} event waiting", "{count} events waiting", waiting)}
                {oldestAt > 0 && t(", the oldest of {ago}", { ago: ago(oldestAt) })}
              </p>
            )}
          </div>
        </li>
      </ul>
    </section>
  );
}
