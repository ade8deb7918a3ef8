import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { call } from "../../api/client.ts";
import { ApiProblem, textOf } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { lengthText } from "../../text/time.ts";
import { t } from "../../text/language.ts";

/** Seconds by which two clocks may differ: a code of a second factor holds as long. */
const CLOSE_S = 30;

/** Seconds by which the router's clock is ahead of this device's where a code was refused; null: they agree. */
export function clockOffset(error: unknown): number | null {
  const unix = error instanceof ApiProblem ? error.members["unix"] : undefined;
  if (typeof unix !== "number") return null;
  const off = unix - Math.round(Date.now() / 1000);
  return Math.abs(off) > CLOSE_S ? off : null;
}

/** Why a code was refused, without the time, which {@link WrongClock} shows. */
export function codeRefusal(error: unknown): string {
  return error instanceof ApiProblem && error.errors[0] ? error.errors[0].message : textOf(error);
}

/** Sets the router's clock to that of this device. Throws ApiProblem. */
export async function setRouterClock(): Promise<void> {
  const body = { unix: Math.round(Date.now() / 1000) };
  await call({ method: "PUT", path: "/time", body, quiet: true });
}

/** Codes go by the router's clock: says how wrong it is, and offers to set it. `onSet`: it was. */
export function WrongClock({ off, onSet }: { off: number; onSet: () => void }): VNode {
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  async function set(): Promise<void> {
    busy.value = true;
    problem.value = null;
    try {
      await setRouterClock();
      onSet();
    } catch (error) {
      problem.value = textOf(error);
    }
    busy.value = false;
  }
  return (
    <>
      <Fault
        warning
        title={off > 0
          ? t("The router’s clock is {length} ahead of this device’s.", {
            length: lengthText(Math.abs(off)),
          })
          : t("The router’s clock is {length} behind this device’s.", {
            length: lengthText(Math.abs(off)),
          })}
      >
        {t("Codes depend on it. If the time here is right, set the router’s clock to it.")}
      </Fault>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      <button class="btn" type="button" disabled={busy.value} onClick={() => void set()}>
        {t("Set the router’s clock")}
      </button>
    </>
  );
}
