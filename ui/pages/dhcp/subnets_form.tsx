import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Action } from "../../actions/action.ts";
import { previewForm } from "../../actions/apply.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { Form } from "../../parts/form/form.tsx";
import type { Subnets } from "./wire.ts";
import { changeText, lastsChoices, listOf, proposalOf, routerAddress, serversOf } from "./text.ts";
import { t } from "../../text/language.ts";

/** Seconds of the confirm window of new pools. */
const CONFIRM_WINDOW_S = 90;

/** The pools and the lease time; previewed, with a confirm window. */
export function Renumber(
  { now, etag, onClose, onDone, onReload }: {
    now: Subnets;
    /** Entity tag of what the form was filled with. */
    etag: string | null;
    onClose: () => void;
    onDone: () => void;
    /** Loads what holds now, after somebody else was faster. */
    onReload: () => void;
  },
): VNode {
  const nets = useSignal(now.TinyNets.join(", "));
  const lasts = useSignal(now.LeaseTime);
  const servers = useSignal(serversOf(now).join(", "));
  const filled = useRef({ now, etag });
  const reloading = useSignal(false);
  // What was typed stays, unless the person chose what is there now.
  useEffect(() => {
    if (!reloading.peek() || filled.current.now === now) return;
    reloading.value = false;
    filled.current = { now, etag };
    nets.value = now.TinyNets.join(", ");
    lasts.value = now.LeaseTime;
    servers.value = serversOf(now).join(", ");
  }, [now]);
  const wanted = (): Subnets => ({
    TinyNets: listOf(nets.value),
    LeaseTime: lasts.value,
    NTPServers: listOf(servers.value),
  });
  const write = useForm({
    check: () => checkBody(formBodies.SubnetConfig, { ...wanted() }),
    send: ({ overwrite: over }) =>
      previewForm(renumber(filled.current.now, wanted(), {
        etag: over ? null : filled.current.etag,
        after: () => {
          onClose();
          onDone();
        },
      })),
  });
  const proposal = proposalOf(write.problem);
  return (
    <Dialog
      kind="drawer"
      title={t("DHCP subnets")}
      note={t("Changes revert automatically unless confirmed")}
      onClose={onClose}
    >
      <Form
        write={write}
        failed={t("Nothing was changed.")}
        id="renumber-form"
        class="body form"
        onReload={() => {
          reloading.value = true;
          onReload();
        }}
      >
        <Field
          label={t("Subnets")}
          help={t(
            "One or more with a prefix from /8 to /24, for example 192.168.2.0/24. The router uses the first address of the first subnet",
          )}
          autocomplete="off"
          {...write.text("TinyNets", nets)}
        />
        {proposal !== null && (
          <div class="row">
            <button
              class="btn"
              type="button"
              onClick={() => {
                const list = listOf(nets.value);
                nets.value = list.map((net, index) => index === proposal.index ? proposal.net : net)
                  .join(", ");
                void write.submit();
              }}
            >
              {t("Use {net}", { net: proposal.net })}
            </button>
          </div>
        )}
        <SelectField
          label={t("Lease time")}
          help={t("Devices renew after half of it")}
          options={lastsChoices(now.LeaseTime)}
          {...write.text("LeaseTime", lasts)}
        />
        <Field
          label={t("NTP servers")}
          help={t("Up to 4 addresses sent to devices, for example this router’s. Empty = none")}
          autocomplete="off"
          {...write.text("NTPServers", servers)}
        />
      </Form>
      <FormFooter
        write={write}
        form="renumber-form"
        text={t("Preview change")}
        onClose={onClose}
      />
    </Dialog>
  );
}

function renumber(
  now: Subnets,
  next: Subnets,
  { etag, after }: { readonly etag: string | null; readonly after: () => void },
): Action {
  const moved = now.TinyNets.join() !== next.TinyNets.join();
  const own = routerAddress(next.TinyNets);
  const [first, ...others] = changeText(now, next);
  return {
    title: t("Preview: DHCP subnets"),
    subject: first?.subject ?? t("Addresses"),
    sentence: first?.sentence ?? t("stay as they are."),
    details: [
      ...others.map(({ subject, sentence }) => `${subject} ${sentence}`),
      ...(moved && own !== routerAddress(now.TinyNets)
        ? [
          t("This router moves to {own} and keeps its old address while devices still use it.", {
            own,
          }),
        ]
        : []),
      ...(moved
        ? [
          t("Devices keep their address until they renew. VPN peers never renew."),
          t("Rules and service access with old addresses do not change."),
        ]
        : []),
    ],
    ...(moved ? { confirmWithin: CONFIRM_WINDOW_S } : {}),
    button: moved ? t("Apply without auto-revert") : t("Apply"),
    done: first?.done ?? t("stay as they are."),
    request: () => ({ method: "PUT", path: "/subnetConfig", ifMatch: etag, body: next }),
    after,
  };
}
