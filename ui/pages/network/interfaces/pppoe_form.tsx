import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview, previewForm } from "../../../actions/action.ts";
import { CheckField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import type { Account, Link } from "./wire.ts";

/** Stands for an unchanged password. */
const MASKED = "**";

/** Form of the PPPoE account of an uplink. */
export function AccountForm(
  { link, account, onDone }: { link: Link; account: Account | null; onDone: () => void },
): VNode {
  const user = useSignal(account?.Username ?? "");
  const secret = useSignal("");
  const vlan = useSignal(account?.VLAN ?? "");
  const mtu = useSignal(account?.MTU ?? "");
  const enabled = useSignal(account?.Enabled ?? true);
  const kept = (account?.Secret ?? "") !== "";
  const write = useForm({
    check: () =>
      user.value.trim() === ""
        ? [{ pointer: "/Username", message: "Enter the PPPoE user name" }]
        : [],
    send: () => {
      const sentence = enabled.value
        ? `connects by PPPoE as ${user.value.trim()}.`
        : "keeps the PPPoE account but does not connect.";
      return previewForm({
        title: `Preview: PPPoE on ${link.Name}`,
        subject: link.Name,
        sentence,
        button: "Apply without auto-revert",
        done: sentence,
        confirmWithin: 90,
        after: onDone,
        request: () => ({
          method: "PUT",
          path: "/uplink/ppp",
          body: {
            Iface: link.Name,
            Enabled: enabled.value,
            Username: user.value.trim(),
            Secret: secret.value === "" && kept ? MASKED : secret.value,
            VLAN: vlan.value.trim(),
            MTU: mtu.value.trim(),
          },
        }),
      });
    },
  });
  return (
    <Form write={write} class="form part" failed="The PPPoE account was not saved.">
      <h3>PPPoE</h3>
      <Field label="User name" autocomplete="off" {...write.text("Username", user)} />
      <Field
        label="Password"
        help={kept ? "Leave empty to keep the current one" : "From your ISP"}
        secret
        autocomplete="new-password"
        {...write.text("Secret", secret)}
      />
      <div class="two">
        <Field
          label="VLAN"
          help="1 to 4094, or empty"
          inputMode="numeric"
          autocomplete="off"
          {...write.text("VLAN", vlan)}
        />
        <Field
          label="MTU"
          help="128 to 1492, or empty"
          inputMode="numeric"
          autocomplete="off"
          {...write.text("MTU", mtu)}
        />
      </div>
      <CheckField
        label="Connect"
        value={enabled.value}
        onValue={(value) => enabled.value = value}
      />
      <div class="row wrap">
        <SubmitButton write={write}>Preview PPPoE</SubmitButton>
        {account !== null && (
          <button
            class="btn danger"
            type="button"
            onClick={() => openPreview(removal(link, onDone))}
          >
            Remove PPPoE
          </button>
        )}
      </div>
    </Form>
  );
}

function removal(link: Link, after: () => void): Parameters<typeof openPreview>[0] {
  return {
    title: `Preview: PPPoE on ${link.Name}`,
    subject: link.Name,
    sentence: "loses its PPPoE account and is disabled.",
    button: "Remove",
    danger: true,
    done: "no longer has a PPPoE account.",
    confirmWithin: 90,
    after,
    request: () => ({
      method: "DELETE",
      path: `/uplink/ppp/${encodeURIComponent(link.Name)}`,
    }),
  };
}
