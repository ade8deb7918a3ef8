import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, applyOrPreview, openPreview } from "../../../actions/action.ts";
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
        note="Host names in your network. Each device also has its own name ending in .lan"
      />
      <div class="cols main-side">
        <div class="stack">
          {list !== null && list.length > 8 && (
            <FilterBar
              label="Filter records"
              hint="Name or address"
              text={text.value}
              onText={(next) => text.value = next}
            />
          )}
          <section class="panel" aria-label="Local DNS records">
            {list === null
              ? loaded.problem === null
                ? <Loading what="records" rows={3} />
                : <Fault title="The records could not be loaded.">{loaded.problem.message}</Fault>
              : list.length === 0
              ? (
                <div class="empty">
                  <h2>No records</h2>
                  <p class="soft">
                    Add a name for a server with several names, or for a machine that is not a
                    device here.
                  </p>
                </div>
              )
              : found.length === 0
              ? <p class="pad s quiet">No matches for “{text.value}”.</p>
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
              , the address of <Name>{device}</Name>
            </>
          )}
        </p>
      </div>
      <button
        class="btn small danger"
        type="button"
        onClick={() => openPreview(dropName(one))}
      >
        Delete<span class="vh">{one.Hostname}</span>
      </button>
    </li>
  );
}

function dropName({ Hostname, IPAddress }: HostMapping): Action {
  return {
    title: "Preview: delete DNS record",
    subject: Hostname,
    sentence: `no longer resolves to ${IPAddress}.`,
    button: "Delete record",
    danger: true,
    done: `no longer resolves to ${IPAddress}.`,
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
        ? [{ pointer: "/hostname", message: "This field is required" }]
        : []),
      ...(address.value.trim() === ""
        ? [{ pointer: "/IPAddress", message: "This field is required" }]
        : []),
    ],
    send: async () => {
      const hostname = name.value.trim(), IPAddress = address.value.trim();
      await applyOrPreview({
        title: "Preview: DNS record",
        subject: hostname,
        sentence: `resolves to ${IPAddress}.`,
        button: "Add record",
        done: `resolves to ${IPAddress}.`,
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
        <h2 id="new-name">Add record</h2>
      </header>
      <Form write={write} class="form pad" failed="The record was not added.">
        <Field
          label="Name"
          help="For example files.lan"
          autocomplete="off"
          {...write.text("hostname", name)}
        />
        <Field
          label="IP address"
          help="LAN IP, for example 192.168.2.10"
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
          <SubmitButton write={write}>Add record</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
