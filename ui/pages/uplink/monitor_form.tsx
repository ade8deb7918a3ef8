import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/apply.ts";
import { CheckField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import type { ProblemItem } from "../../api/problem.ts";
import type { Watch } from "./wire.ts";
import { t } from "../../text/language.ts";

const ADDRESS = /^(\d{1,3}\.){3}\d{1,3}$/;

function whole(
  name: string,
  text: string,
  [least, most]: readonly [number, number],
): ProblemItem[] {
  const value = Number(text);
  return /^\d{1,2}$/.test(text.trim()) && value >= least && value <= most ? [] : [{
    pointer: `/${name}`,
    message: t("Enter a whole number from {least} to {most}", { least, most }),
  }];
}

/** Form of health checks. */
export function WatchForm(
  { now, etag, several }: { now: Watch; etag: string | null; several: boolean },
): VNode {
  const enabled = useSignal(now.Enabled);
  const gateway = useSignal(now.ProbeGateway);
  const targets = useSignal(now.ProbeTargets.join(", "));
  const interval = useSignal(String(now.IntervalSeconds));
  const fails = useSignal(String(now.FailThreshold));
  const failover = useSignal(now.FailoverEnabled);
  const small = useSignal(now.AcceptSmallMTU);
  const url = useSignal(now.SpeedTestURL);
  useEffect(() => {
    enabled.value = now.Enabled;
    gateway.value = now.ProbeGateway;
    targets.value = now.ProbeTargets.join(", ");
    interval.value = String(now.IntervalSeconds);
    fails.value = String(now.FailThreshold);
    failover.value = now.FailoverEnabled;
    small.value = now.AcceptSmallMTU;
    url.value = now.SpeedTestURL;
  }, [etag]);
  const list = () => targets.value.split(/[\s,]+/).filter((text) => text !== "");
  const write = useForm({
    // The API repairs what it cannot use, so that the form must say it.
    check: () => [
      ...list().filter((text) => !ADDRESS.test(text)).slice(0, 1).map((text) => ({
        pointer: "/ProbeTargets",
        message: t("{text} is not an IPv4 address", { text }),
      })),
      ...whole("IntervalSeconds", interval.value, [2, 60]),
      ...whole("FailThreshold", fails.value, [1, 60]),
      ...(url.value.trim() === "" || /^https?:\/\/\S+$/.test(url.value.trim()) ? [] : [{
        pointer: "/SpeedTestURL",
        message: t("Enter a URL that begins with http:// or https://"),
      }]),
    ],
    send: ({ overwrite: over }) =>
      applyOrPreview({
        title: t("Preview: WAN monitoring"),
        subject: "WAN",
        sentence: enabled.value
          ? t("is monitored with these settings.")
          : t("is no longer monitored."),
        button: t("Save"),
        done: enabled.value ? t("is monitored with these settings.") : t("is no longer monitored."),
        request: () => ({
          method: "PUT",
          path: "/wan/config",
          ifMatch: over ? null : etag,
          body: {
            ...now,
            Enabled: enabled.value,
            ProbeGateway: gateway.value,
            ProbeTargets: list(),
            IntervalSeconds: Number(interval.value),
            FailThreshold: Number(fails.value),
            FailoverEnabled: failover.value,
            AcceptSmallMTU: small.value,
            SpeedTestURL: url.value.trim(),
          },
        }),
      }),
  });
  return (
    <section class="panel" aria-labelledby="watch">
      <header>
        <h2 id="watch">{t("Health checks")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("The health checks were not saved.")}>
        <CheckField
          label={t("Monitor WAN")}
          help={t("Off: link state only")}
          value={enabled.value}
          onValue={(value) => enabled.value = value}
        />
        <CheckField
          label={t("Ping gateway")}
          value={gateway.value}
          disabled={!enabled.value}
          onValue={(value) => gateway.value = value}
        />
        <Field
          label={t("Additional targets")}
          help={t("IPv4, comma-separated. One reply is enough")}
          autocomplete="off"
          {...write.text("ProbeTargets", targets)}
        />
        <div class="two">
          <Field
            label={t("Interval (seconds)")}
            inputMode="numeric"
            autocomplete="off"
            {...write.text("IntervalSeconds", interval)}
          />
          <Field
            label={t("Failures before down")}
            inputMode="numeric"
            autocomplete="off"
            {...write.text("FailThreshold", fails)}
          />
        </div>
        {several && (
          <CheckField
            label={t("Skip failed WAN")}
            value={failover.value}
            onValue={(value) => failover.value = value}
          />
        )}
        <CheckField
          label={t("Accept a small MTU")}
          help={t("Below 1280 bytes, from the ISP's DHCP. Off: it is ignored")}
          value={small.value}
          onValue={(value) => small.value = value}
        />
        <Field
          label={t("Speed test URL")}
          help={t("For example https://speed.example/64mb.bin. Empty = off")}
          autocomplete="off"
          {...write.text("SpeedTestURL", url)}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Save")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
