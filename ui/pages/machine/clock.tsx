import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { WriteFault } from "../../parts/form/write_fault.tsx";
import { clock, day, lengthText } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { setRouterClock } from "../sign_in/wrong_clock.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two looks at the clock. */
const LOOK_EVERY = 30_000;
/** Seconds by which two clocks may differ: a code of a second factor holds as long. */
const CLOSE = 30;

/** The router's clock beside this browser's: codes, certificates and schedules go by it. */
export function ClockPanel(): VNode {
  const time = useLoaded<{ readonly unix: number }>({ path: "/time" }, [usePulse(LOOK_EVERY)]);
  const ahead = useSignal<number | null>(null);
  const problem = useSignal<unknown>(null);
  useEffect(() => {
    if (time.body !== null) ahead.value = time.body.unix - Math.floor(Date.now() / 1000);
  }, [time.body]);

  async function sync(): Promise<void> {
    problem.value = null;
    try {
      await call({ method: "PUT", path: "/time/sync" });
      say({ text: t("Clock synchronised.") });
      time.reload();
    } catch (error) {
      problem.value = error;
    }
  }

  async function set(): Promise<void> {
    problem.value = null;
    try {
      await setRouterClock();
      say({ text: t("The router’s clock was set to this device’s.") });
      time.reload();
    } catch (error) {
      problem.value = error;
    }
  }

  const at = time.body === null ? null : time.body.unix * 1000;
  const off = ahead.value === null ? 0 : Math.abs(ahead.value);
  return (
    <section class="panel" aria-labelledby="clock">
      <header>
        <h2 id="clock">{t("Clock")}</h2>
      </header>
      {problem.value !== null && (
        <WriteFault failed={t("The clock was not set.")} error={problem.value} />
      )}
      {off > CLOSE && (
        <Fault
          warning
          title={ahead.value! > 0
            ? t("It is {length} ahead of yours.", { length: lengthText(off) })
            : t("It is {length} behind yours.", { length: lengthText(off) })}
        >
          {t("Two-factor codes and certificates depend on it.")}
        </Fault>
      )}
      <dl class="kv pad">
        <dt>{t("Router time")}</dt>
        <dd>{at === null ? "…" : `${day(at)}, ${clock(at, true)}`}</dd>
      </dl>
      <div class="pad row">
        <button class="btn" type="button" onClick={() => void sync()}>{t("Sync clock")}</button>
        {off > CLOSE && (
          <button class="btn" type="button" onClick={() => void set()}>
            {t("Set to this device’s time")}
          </button>
        )}
      </div>
    </section>
  );
}
