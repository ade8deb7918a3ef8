import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { count } from "../../text/format.ts";
import { ago, clock } from "../../text/time.ts";
import { ChannelDialog } from "./channel_dialog.tsx";
import { browserName, pushFault, subscribeBrowser } from "./push.ts";
import type { AlertChannel, ChannelKind, ChannelState, ChannelTest } from "./wire.ts";

/** Milliseconds between two looks at how deliveries stand. */
const LOOK_EVERY = 5000;

const KINDS: Readonly<Record<ChannelKind, string>> = {
  webhook: "Webhook",
  ntfy: "ntfy",
  email: "E-mail",
  push: "Web push",
};

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
        <h2 id="alert-channels">Channels</h2>
        <div class="row wrap">
          {(["webhook", "ntfy", "email"] as const).map((kind) => (
            <button
              key={kind}
              class="btn small"
              type="button"
              onClick={() => edited.value = kind}
            >
              Add {kind === "email" ? "e-mail" : kind}
            </button>
          ))}
        </div>
      </header>
      {loaded.problem !== null && (
        <Fault title="The channels could not be loaded.">{loaded.problem.message}</Fault>
      )}
      {channels === null
        ? loaded.problem === null && <Loading what="channels" rows={2} />
        : channels.length === 0
        ? (
          <p class="pad s quiet">
            Alerts stay on these pages. Add a channel to send those that notify, and new devices.
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
      say({ text: `Not changed. ${textOf(error)}` });
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
          {enabled ? stateText(state) : "Off"}
        </p>
        <p role="status" class={tested.value?.ok === false ? "danger-t" : "success-t"}>
          {busy.value ? "Sending a test message…" : tested.value !== null &&
            `${tested.value.ok ? "Test accepted" : "Test failed"}: ${tested.value.message}`}
        </p>
      </div>
      <Switch label={`${name} is on`} on={enabled} onFlip={() => void flip()} />
      <button class="btn small" type="button" disabled={busy.value} onClick={() => void test()}>
        Test<span class="vh">{name}</span>
      </button>
      <button class="btn small" type="button" onClick={onEdit}>
        Edit<span class="vh">{name}</span>
      </button>
      <button
        class="btn small danger"
        type="button"
        onClick={() => openPreview(deleteChannel(channel, onChanged))}
      >
        Delete<span class="vh">{name}</span>
      </button>
    </li>
  );
}

function targetOf({ kind, url, host, to }: AlertChannel): string {
  return kind === "email" ? `${to.join(", ")} by ${host}` : new URL(url).host;
}

/** How deliveries stand, with the receiver's own words where the last one failed. */
function stateText(state: ChannelState | null): string {
  if (state === null) return "";
  const { at, ok, message, sentAt, waiting, oldestAt, nextAt, repeated, held, lost } = state;
  return [
    at === 0 ? "Nothing sent yet" : ok ? `Sent ${ago(sentAt)}` : `Failed ${ago(at)}: ${message}`,
    ...(waiting > 0
      ? [`${count(waiting, "message")} waiting, the oldest queued ${ago(oldestAt)}`]
      : []),
    ...(waiting > 0 && nextAt > Date.now() ? [`Next attempt at ${clock(nextAt, true)}`] : []),
    ...(repeated + held > 0 ? [`${count(repeated + held, "alert")} only counted`] : []),
    ...(lost > 0 ? [`${count(lost, "message")} given up`] : []),
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
      say({ text: "This browser is notified from now on." });
    } catch (error) {
      problem.value = error instanceof Error && error.name === "AbortError"
        ? "The browser could not reach its push service."
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
        Notify this browser
      </button>
      <span id="alert-browser-note" role="status" class={problem.value ? "s danger-t" : "s quiet"}>
        {problem.value ?? fault ?? ""}
      </span>
    </footer>
  );
}

function deleteChannel({ id, name }: AlertChannel, after: () => void): Action {
  return {
    title: "Preview: delete channel",
    subject: name,
    sentence: "gets no more alerts. What waits for it is not sent.",
    button: "Delete channel",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: `/alerts/channels/${id}` }),
    after,
  };
}
