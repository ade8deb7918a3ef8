import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/apply.ts";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { failureText } from "../../api/problem.ts";
import { changeEvents } from "../../state/store.ts";
import { numberText } from "../../text/format.ts";
import { lengthText } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { t } from "../../text/language.ts";

interface Uptime {
  readonly uptime_total_seconds: number;
  readonly load_1m: number;
  readonly load_5m: number;
  readonly load_15m: number;
}

/** Milliseconds between two looks at the load. */
const LOOK_EVERY = 10_000;

/** One label of RFC 1123 2.1. */
const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Host name, uptime and load of the machine. */
export function BoxPanel(): VNode {
  const uptime = useLoaded<Uptime>({ path: "/info/uptime" }, [usePulse(LOOK_EVERY)]);
  const { body, problem } = uptime;
  return (
    <section class="panel" aria-labelledby="box">
      <header>
        <h2 id="box">{t("Device")}</h2>
      </header>
      {problem !== null && <Fault title={t("Device status unavailable.")}>{problem.message}</Fault>}
      <dl class="kv pad">
        <dt>{t("Uptime")}</dt>
        <dd>{body === null ? "…" : lengthText(body.uptime_total_seconds)}</dd>
        <dt>{t("Load")}</dt>
        <dd>{body === null ? "…" : loadText(body)}</dd>
      </dl>
      <HostName />
      <Restart />
    </section>
  );
}

/** How many processes want to run at once, over time. */
function loadText({ load_1m, load_5m, load_15m }: Uptime): string {
  return t("{load1m}, {load5m} and {load15m} over 1, 5 and 15 min", {
    load1m: numberText(load_1m),
    load5m: numberText(load_5m),
    load15m: numberText(load_15m),
  });
}

function HostName(): VNode {
  const now = useLoaded<string>({ path: "/info/hostname" }, [changeEvents.value]);
  const name = useSignal("");
  useEffect(() => void (name.value = now.body ?? ""), [now.body]);
  const write = useForm({
    check: () =>
      HOST_NAME.test(name.value.trim()) ? [] : [{
        pointer: "/name",
        message: t("Use 1 to 63 letters, digits and “-”, for example router"),
      }],
    send: () =>
      applyOrPreview({
        title: t("Preview: host name"),
        subject: t("This router"),
        sentence: t("is renamed to {name}.", { name: name.value }),
        button: t("Save name"),
        done: t("is renamed to {name}.", { name: name.value }),
        request: () => ({ method: "PUT", path: "/info/hostname", body: name.value.trim() }),
      }),
  });
  return (
    <Form write={write} failed={t("The name was not saved.")} class="form pad">
      <Field
        label={t("Host name")}
        help={t("Used for the web UI and the TLS certificate")}
        autocomplete="off"
        maxLength={63}
        {...write.text("name", name)}
      />
      <div class="row">
        <SubmitButton write={write} class="btn">{t("Save name")}</SubmitButton>
      </div>
    </Form>
  );
}

function Restart(): VNode {
  const isAsking = useSignal(false);
  async function restart(): Promise<void> {
    isAsking.value = false;
    try {
      await call({ method: "PUT", path: "/restart" });
      say({ text: t("Restarting. This page reconnects automatically.") });
    } catch (error) {
      say({ text: failureText(error, (text) => t("Restart failed. {text}", { text })) });
    }
  }
  return (
    <footer class="form">
      {isAsking.value
        ? (
          <>
            <p>
              {t(
                "Rules, addresses and connections stay up. The web UI is unavailable for a few seconds.",
              )}
            </p>
            <div class="row wrap">
              <button class="btn danger" type="button" onClick={() => void restart()}>
                {t("Restart now")}
              </button>
              <button class="btn" type="button" onClick={() => isAsking.value = false}>
                {t("Cancel")}
              </button>
            </div>
          </>
        )
        : (
          <div class="row">
            <button class="btn" type="button" onClick={() => isAsking.value = true}>
              {t("Restart services…")}
            </button>
          </div>
        )}
    </footer>
  );
}
