import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/action.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import type { ProblemItem } from "../../api/problem.ts";
import type { Watch } from "./wire.ts";

const BALANCES: readonly (readonly [string, string])[] = [
  ["pair", "Share connections, each site by one uplink"],
  ["source", "Share devices, each by one uplink"],
  ["connection", "Share connections, each by chance"],
  ["off", "The first that works, the others as spares"],
];

const ADDRESS = /^(\d{1,3}\.){3}\d{1,3}$/;

function whole(
  name: string,
  text: string,
  [least, most]: readonly [number, number],
): ProblemItem[] {
  const value = Number(text);
  return /^\d{1,2}$/.test(text.trim()) && value >= least && value <= most
    ? []
    : [{ pointer: `/${name}`, message: `Write a whole number from ${least} to ${most}` }];
}

/** How uplinks are watched, and what happens when one is dead. */
export function WatchForm(
  { now, etag, several }: { now: Watch; etag: string | null; several: boolean },
): VNode {
  const enabled = useSignal(now.Enabled);
  const gateway = useSignal(now.ProbeGateway);
  const targets = useSignal(now.ProbeTargets.join(", "));
  const interval = useSignal(String(now.IntervalSeconds));
  const fails = useSignal(String(now.FailThreshold));
  const failover = useSignal(now.FailoverEnabled);
  const balance = useSignal<string>(now.Balance);
  const url = useSignal(now.SpeedTestURL);
  useEffect(() => {
    enabled.value = now.Enabled;
    gateway.value = now.ProbeGateway;
    targets.value = now.ProbeTargets.join(", ");
    interval.value = String(now.IntervalSeconds);
    fails.value = String(now.FailThreshold);
    failover.value = now.FailoverEnabled;
    balance.value = now.Balance;
    url.value = now.SpeedTestURL;
  }, [etag]);
  const list = () => targets.value.split(/[\s,]+/).filter((text) => text !== "");
  const write = useForm({
    // The API repairs what it cannot use, so that the form must say it.
    check: () => [
      ...list().filter((text) => !ADDRESS.test(text)).slice(0, 1).map((text) => ({
        pointer: "/ProbeTargets",
        message: `${text} is no IPv4 address`,
      })),
      ...whole("IntervalSeconds", interval.value, [2, 60]),
      ...whole("FailThreshold", fails.value, [1, 60]),
      ...(url.value.trim() === "" || /^https?:\/\/\S+$/.test(url.value.trim()) ? [] : [{
        pointer: "/SpeedTestURL",
        message: "Write an address that begins with http:// or https://",
      }]),
    ],
    send: ({ overwrite: over }) =>
      applyOrPreview({
        title: "Preview: watching uplinks",
        subject: "Uplinks",
        sentence: enabled.value ? "are watched as you say." : "are not asked for life.",
        button: "Watch them so",
        done: enabled.value ? "are watched as you said." : "are no longer asked for life.",
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
            Balance: balance.value,
            SpeedTestURL: url.value.trim(),
          },
        }),
      }),
  });
  return (
    <section class="panel" aria-labelledby="watch">
      <header>
        <h2 id="watch">Watching</h2>
      </header>
      <Form write={write} class="form pad" failed="Uplinks are watched as before.">
        <CheckField
          label="Ask uplinks for life"
          help="Off: only the cable counts"
          value={enabled.value}
          onValue={(value) => enabled.value = value}
        />
        <CheckField
          label="Ask the gateway"
          value={gateway.value}
          disabled={!enabled.value}
          onValue={(value) => gateway.value = value}
        />
        <Field
          label="Ask these addresses too"
          help="IPv4, with commas between them. One answer is enough"
          autocomplete="off"
          {...write.text("ProbeTargets", targets)}
        />
        <div class="two">
          <Field
            label="Seconds between questions"
            inputMode="numeric"
            autocomplete="off"
            {...write.text("IntervalSeconds", interval)}
          />
          <Field
            label="Dead after so many without an answer"
            inputMode="numeric"
            autocomplete="off"
            {...write.text("FailThreshold", fails)}
          />
        </div>
        {several && (
          <>
            <SelectField
              label="Several uplinks"
              value={balance.value}
              options={BALANCES}
              onValue={(value) => balance.value = value}
            />
            <CheckField
              label="Leave a dead uplink out"
              value={failover.value}
              onValue={(value) => failover.value = value}
            />
          </>
        )}
        <Field
          label="What a speed test loads"
          help="Such as https://speed.example/64mb.bin. Empty: no tests"
          autocomplete="off"
          {...write.text("SpeedTestURL", url)}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">Watch them so</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
