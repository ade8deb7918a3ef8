import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { failureText, textOf } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { ago, clock } from "../../text/time.ts";
import { ChannelDialog } from "./channel_dialog.tsx";
import { browserName, pushFault, subscribeBrowser } from "./push.ts";
import type { AlertChannel, ChannelKind, ChannelState, ChannelTest } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Milliseconds between two looks at how deliveries stand. */
const LOOK_EVERY = 5000;

const KINDS: Readonly<Record<ChannelKind, string>> = {
  webhook: t("Webhook"),
  ntfy: "ntfy",
  email: t("E-mail"),
  push: t("Web push"),
};

const NEW_CHANNELS = [
  ["webhook", t("Add webhook")],
  ["ntfy", t("Add ntfy")],
  ["email", t("Add e-mail")],
] as const;

/** Where alerts are sent to: how each stands, test, edit, delete, add. */
export function Channels(): VNode {
  const loaded = useLoaded<readonly AlertChannel[]>({ path: "/alerts/channels" }, [
    changeEvents.value,
  ]);
  const states = useLoaded<readonly ChannelState[]>({ path: "/alerts/deliveries" }, [
    changeEvents.value,
    usePulse(LOOK_EVERY),
  ]);
  const edited = useSignal<AlertChannel | ChannelKind | null>(null);
  const channels = loaded.body;

  return (
    <section class="panel" aria-labelledby="alert-channels">
      <header>
        <h2 id="alert-channels">{t("Channels")}</h2>
        <div class="row wrap">
          {NEW_CHANNELS.map(([kind, text]) => (
            <button
              key={kind}
              class="btn small"
              type="button"
              onClick={() => edited.value = kind}
            >
              {text}
            </button>
          ))}
        </div>
      </header>
      {loaded.problem !== null && (
        <Fault title={t("The channels could not be loaded.")}>{loaded.problem.message}</Fault>
      )}
      {channels === null
        ? loaded.problem === null && <Loading what={t("channels")} rows={2} />
        : channels.length === 0
        ? (
          <p class="pad s quiet">
            {t(
              "Alerts stay on these pages. Add a channel to send those that notify, and new devices.",
            )}
          </p>
        )
        : (
          <ul class="rows alert-rules">
            {channels.map((channel) => (
              <Channel
                key={channel.id}
                channel={channel}
                state={states.body?.find(({ id }) => id === channel.id) ?? null}
                onEdit={() => edited.value = channel}
                onChanged={() => {
                  loaded.reload();
                  states.reload();
                }}
              />
            ))}
          </ul>
        )}
      <ThisBrowser onAdded={loaded.reload} />
      {edited.value !== null && (
        <ChannelDialog
          channel={typeof edited.value === "string" ? null : edited.value}
          kind={typeof edited.value === "string" ? edited.value : edited.value.kind}
          onClose={() => edited.value = null}
          onSaved={loaded.reload}
        />
      )}
    </section>
  );
}

function Channel(
  { channel, state, onEdit, onChanged }: {
    channel: AlertChannel;
    state: ChannelState | null;
    onEdit: () => void;
    onChanged: () => void;
  },
): VNode {
  const busy = useSignal(false);
  const tested = useSignal<ChannelTest | null>(null);
  const { id, name, kind, enabled } = channel;

  async function test(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    tested.value = null;
    try {
      const path = `/alerts/channels/${id}/test`;
      tested.value = (await call<ChannelTest>({ method: "POST", path })).body;
    } catch (error) {
      tested.value = { ok: false, message: textOf(error) };
    }
    busy.value = false;
  }

  async function flip(): Promise<void> {
    try {
      const body = { ...channel, enabled: !enabled };
      await call({ method: "PUT", path: "/alerts/channels", body });
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not changed. {text}", { text })) });
    }
    onChanged();
  }

  return (
    <li>
      <div class="grow">
        <b>
          <Name>{name}</Name>
        </b>
        <p>{KINDS[kind]} · {targetOf(channel)}</p>
        <p class={state !== null && state.at > 0 && !state.ok ? "danger-t" : "quiet"}>
          {enabled ? stateText(state) : t("Off")}
        </p>
        <p role="status" class={tested.value?.ok === false ? "danger-t" : "success-t"}>
          {busy.value ? t("Sending a test message…") : tested.value !== null &&
            `${tested.value.ok ? t("Test accepted") : t("Test failed")}: ${tested.value.message}`}
        </p>
      </div>
      <Switch label={t("{name} is on", { name })} on={enabled} onFlip={() => void flip()} />
      <button class="btn small" type="button" disabled={busy.value} onClick={() => void test()}>
        {t("Test")}
        <span class="vh">{name}</span>
      </button>
      <button class="btn small" type="button" onClick={onEdit}>
        {t("Edit")}
        <span class="vh">{name}</span>
      </button>
      <button
        class="btn small danger"
        type="button"
        onClick={() => openPreview(deleteChannel(channel, onChanged))}
      >
        {t("Delete")}
        <span class="vh">{name}</span>
      </button>
    </li>
  );
}

function targetOf({ kind, url, host, to }: AlertChannel): string {
  return kind === "email" ? t("{to} by {host}", { to: to.join(", "), host }) : new URL(url).host;
}

/** How deliveries stand, with the receiver's own words where the last one failed. */
function stateText(state: ChannelState | null): string {
  if (state === null) return "";
  const { at, ok, message, sentAt, waiting, oldestAt, nextAt, repeated, held, lost } = state;
  return [
    at === 0
      ? t("Nothing sent yet")
      : ok
      ? t("Sent {ago}", { ago: ago(sentAt) })
      : t("Failed {ago}: {message}", { ago: ago(at), message }),
    ...(waiting > 0
      ? [
        tn(
          "{count} message waiting, the oldest queued {ago}",
          "{count} messages waiting, the oldest queued {ago}",
          waiting,
          { ago: ago(oldestAt) },
        ),
      ]
      : []),
    ...(waiting > 0 && nextAt > Date.now()
      ? [t("Next attempt at {clock}", { clock: clock(nextAt, true) })]
      : []),
    ...(repeated + held > 0
      ? [tn("{count} alert only counted", "{count} alerts only counted", repeated + held)]
      : []),
    ...(lost > 0 ? [tn("{count} message given up", "{count} messages given up", lost)] : []),
  ].join(" · ");
}

function ThisBrowser({ onAdded }: { onAdded: () => void }): VNode {
  const fault = pushFault();
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);

  async function add(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    try {
      const subscription = await subscribeBrowser();
      const name = browserName(navigator.userAgent);
      const body = { name, kind: "push", ...subscription };
      await call({ method: "PUT", path: "/alerts/channels", body });
      say({ text: t("This browser is notified from now on.") });
    } catch (error) {
      problem.value = error instanceof Error && error.name === "AbortError"
        ? t("The browser could not reach its push service.")
        : textOf(error);
    }
    busy.value = false;
    onAdded();
  }

  return (
    <footer>
      <button
        class="btn small"
        type="button"
        disabled={fault !== null || busy.value}
        aria-describedby="alert-browser-note"
        onClick={() => void add()}
      >
        {t("Notify this browser")}
      </button>
      <span id="alert-browser-note" role="status" class={problem.value ? "s danger-t" : "s quiet"}>
        {problem.value ?? fault ?? ""}
      </span>
    </footer>
  );
}

function deleteChannel({ id, name }: AlertChannel, after: () => void): Action {
  return {
    title: t("Preview: delete channel"),
    subject: name,
    sentence: t("gets no more alerts. What waits for it is not sent."),
    button: t("Delete channel"),
    danger: true,
    done: t("is deleted."),
    request: () => ({ method: "DELETE", path: `/alerts/channels/${id}` }),
    after,
  };
}
