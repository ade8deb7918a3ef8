import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { FilterBar, hasText } from "../../../parts/table/filter_bar.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { changeEvents } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { clientAt, clientChoices } from "../log/clients.ts";
import { MoreRows } from "../more_rows.tsx";
import type { HostMapping } from "../wire.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";
import "../../../styles/pages/dns.css";

/** Names that are drawn at once. */
const SHOWN = 200;

/** Local DNS records; each device has a name besides. */
export default function HostNamesPage({ title }: PageProps): VNode {
  const loaded = useLoaded<{ readonly items: readonly HostMapping[] }>(
    { path: "/dns/hostnames" },
    [changeEvents.value],
  );
  const text = useSignal("");
  const list = loaded.body?.items ?? null;
  const found = list?.filter((one) => hasText(`${one.Hostname} ${one.IPAddress}`, text.value)) ??
    [];
  return (
    <>
      <PageHead
        title={title}
        note={t("Host names in your network. Each device also has its own name ending in .lan")}
      />
      <div class="cols main-side">
        <div class="stack">
          {list !== null && list.length > 8 && (
            <FilterBar
              label={t("Filter records")}
              hint={t("Name or address")}
              text={text.value}
              onText={(next) => text.value = next}
            />
          )}
          <section class="panel" aria-label={t("Local DNS records")}>
            {list === null
              ? loaded.problem === null
                ? <Loading what={t("records")} rows={3} />
                : (
                  <Fault title={t("The records could not be loaded.")}>
                    {loaded.problem.message}
                  </Fault>
                )
              : list.length === 0
              ? (
                <div class="empty">
                  <h2>{t("No records")}</h2>
                  <p class="soft">
                    {t(
                      "Add a name for a server with several names, or for a machine that is not a device here.",
                    )}
                  </p>
                </div>
              )
              : found.length === 0
              ? <p class="pad s quiet">{t("No matches for “{text}”.", { text: text.value })}</p>
              : (
                <>
                  <ul class="rows">
                    {found.slice(0, SHOWN).map((one) => <Row key={one.Hostname} one={one} />)}
                  </ul>
                  <MoreRows number={found.length - SHOWN} />
                </>
              )}
          </section>
        </div>
        <NewName />
      </div>
    </>
  );
}

function Row({ one }: { one: HostMapping }): VNode {
  const device = clientAt(one.IPAddress);
  return (
    <li>
      <div class="grow">
        <b>
          <Name>{one.Hostname}</Name>
        </b>
        <p>
          {one.IPAddress}
          {device !== undefined && (
            <>
              {rich(t(", the address of {device}"), { device: <Name>{device}</Name> })}
            </>
          )}
        </p>
      </div>
      <button
        class="btn small danger"
        type="button"
        onClick={() => openPreview(dropName(one))}
      >
        {t("Delete")}
        <span class="vh">{one.Hostname}</span>
      </button>
    </li>
  );
}

function dropName({ Hostname, IPAddress }: HostMapping): Action {
  return {
    title: t("Preview: delete DNS record"),
    subject: Hostname,
    sentence: t("no longer resolves to {ipAddress}.", { ipAddress: IPAddress }),
    button: t("Delete record"),
    danger: true,
    done: t("no longer resolves to {ipAddress}.", { ipAddress: IPAddress }),
    request: () => ({
      method: "DELETE",
      path: `/dns/hostnames/${encodeURIComponent(Hostname)}`,
      body: { IPAddress },
    }),
  };
}

function NewName(): VNode {
  const name = useSignal("");
  const address = useSignal("");
  const write = useForm({
    check: () => [
      ...(name.value.trim() === ""
        ? [{ pointer: "/hostname", message: t("This field is required") }]
        : []),
      ...(address.value.trim() === ""
        ? [{ pointer: "/IPAddress", message: t("This field is required") }]
        : []),
    ],
    send: async () => {
      const hostname = name.value.trim(), IPAddress = address.value.trim();
      await applyOrPreview({
        title: t("Preview: DNS record"),
        subject: hostname,
        sentence: t("resolves to {ipAddress}.", { ipAddress: IPAddress }),
        button: t("Add record"),
        done: t("resolves to {ipAddress}.", { ipAddress: IPAddress }),
        request: () => ({
          method: "PUT",
          path: `/dns/hostnames/${encodeURIComponent(hostname)}`,
          body: { IPAddress },
        }),
        after: () => void (name.value = address.value = ""),
      });
    },
  });
  return (
    <section class="panel" aria-labelledby="new-name">
      <header>
        <h2 id="new-name">{t("Add record")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("The record was not added.")}>
        <Field
          label={t("Name")}
          help={t("For example files.lan")}
          autocomplete="off"
          {...write.text("hostname", name)}
        />
        <Field
          label={t("IP address")}
          help={t("LAN IP, for example 192.168.2.10")}
          autocomplete="off"
          list="addresses-at-home"
          {...write.text("IPAddress", address)}
        />
        <datalist id="addresses-at-home">
          {clientChoices().map(([address, known]) => (
            <option key={address} value={address}>{known}</option>
          ))}
        </datalist>
        <div class="row">
          <SubmitButton write={write}>{t("Add record")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
