import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview, openPreview } from "../../../actions/action.ts";
import { call } from "../../../api/client.ts";
import { Field } from "../../../parts/form/field.tsx";
import { DeleteDialog } from "../../../parts/overlay/delete_dialog.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { changeEvents } from "../../../state/store.ts";
import { day } from "../../../text/time.ts";
import { say } from "../../../state/toast.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { clientText } from "../log/clients.ts";
import { keepOf, setKept } from "../log/actions.ts";
import type { LogSettings, LogState } from "../wire.ts";
import { sizeText } from "../../../text/format.ts";
import { bare } from "../text.ts";

/** Settings of the query log: logging, retention, and devices that are not logged. */
export function LogSettingsPanel(
  { now, etag }: { now: LogSettings; etag: string | null },
): VNode {
  const state = useLoaded<LogState>({ path: "/plugins/dns/log/status" }, [changeEvents.value]);
  const deleting = useSignal(false);
  return (
    <section class="panel" aria-labelledby="kept">
      <header>
        <h2 id="kept">Query log</h2>
        {state.body !== null && (
          <span class="note">
            {sizeText(state.body.bytes)}
            {state.body.oldest !== null && `, since ${day(state.body.oldest)}`}
          </span>
        )}
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>Log DNS queries</b>
            <p>Off: queries are only shown live</p>
          </div>
          <Switch
            label="Log DNS queries"
            on={now.StoreLocalMemory}
            onFlip={() => openPreview(keepAny(!now.StoreLocalMemory, etag))}
          />
        </li>
        {now.HostPrivacyIPList.map((address) => (
          <Hidden
            key={address}
            word={clientText(address)}
            note="queries are not logged"
            onShow={() =>
              openPreview(keepOf({ name: clientText(address), address }, true, { now, etag }))}
          />
        ))}
        {now.DomainIgnoreList.map((domain) => (
          <Hidden
            key={domain}
            word={bare(domain)}
            note="not logged"
            onShow={() => openPreview(keepDomain(domain, { now, etag }))}
          />
        ))}
      </ul>
      <Room now={now} etag={etag} />
      <footer>
        <button class="btn small danger" type="button" onClick={() => deleting.value = true}>
          Clear log
        </button>
      </footer>
      {deleting.value && (
        <DeleteDialog
          name="The query log of all devices"
          loss="New queries are still logged."
          act={async () => {
            await call({ method: "DELETE", path: "/plugins/dns/log/entries" });
            say({ text: "Query log cleared." });
            state.reload();
          }}
          onClose={() => deleting.value = false}
        />
      )}
    </section>
  );
}

function Hidden(
  { word, note, onShow }: { word: string; note: string; onShow: () => void },
): VNode {
  return (
    <li>
      <div>
        <b>
          <Name>{word}</Name>
        </b>
        <p>{note}</p>
      </div>
      <button
        class="icon-btn small"
        type="button"
        aria-label={`Log again: ${word}`}
        onClick={onShow}
      >
        <Icon name="x" small />
      </button>
    </li>
  );
}

function keepAny(on: boolean, etag: string | null) {
  return setKept({ StoreLocalMemory: on }, {
    subject: "This router",
    sentence: on
      ? "logs DNS queries."
      : "no longer logs DNS queries. Existing entries stay until you clear them.",
    button: on ? "Log queries" : "Stop logging",
  }, etag);
}

function keepDomain(
  domain: string,
  { now, etag }: { readonly now: LogSettings; readonly etag: string | null },
) {
  return setKept({ DomainIgnoreList: now.DomainIgnoreList.filter((one) => one !== domain) }, {
    subject: bare(domain),
    sentence: "is logged again.",
    button: "Log queries",
  }, etag);
}

/** Retention by time and size. */
function Room({ now, etag }: { now: LogSettings; etag: string | null }): VNode {
  const days = useSignal(String(now.RetentionDays));
  const room = useSignal(String(now.RetentionMegabytes));
  useEffect(() => {
    days.value = String(now.RetentionDays);
    room.value = String(now.RetentionMegabytes);
  }, [now.RetentionDays, now.RetentionMegabytes]);
  const write = useForm({
    check: () => [
      ...whole("RetentionDays", days.value),
      ...whole("RetentionMegabytes", room.value),
    ],
    send: ({ overwrite: over }) =>
      applyOrPreview(setKept(
        { RetentionDays: Number(days.value), RetentionMegabytes: Number(room.value) },
        {
          subject: "Queries",
          sentence: `are kept for ${days.value} days, in at most ${room.value} MB.`,
          button: "Save",
        },
        over ? null : etag,
      )),
  });
  return (
    <Form write={write} class="form pad" failed="The log settings were not saved.">
      <div class="pair">
        <Field
          label="Retention (days)"
          help="1 to 365"
          inputMode="numeric"
          autocomplete="off"
          {...write.text("RetentionDays", days)}
        />
        <Field
          label="Max. size (MB)"
          help="10 or more. Oldest entries go first"
          inputMode="numeric"
          autocomplete="off"
          {...write.text("RetentionMegabytes", room)}
        />
      </div>
      <div class="row">
        <SubmitButton write={write} class="btn">Save</SubmitButton>
      </div>
    </Form>
  );
}

function whole(name: string, text: string) {
  return /^\d{1,6}$/.test(text.trim())
    ? []
    : [{ pointer: `/${name}`, message: "Enter a whole number" }];
}
