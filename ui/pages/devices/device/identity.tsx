import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/apply.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { clock, day, parseWhen } from "../../../text/time.ts";
import { Name } from "../../../parts/show/name.tsx";
import type { Device } from "../../../wire.ts";
import { isPending } from "../add/join_outcome.ts";
import { ExpiryDialog } from "./expiry.tsx";
import { reserveAddress } from "./actions.ts";
import { t } from "../../../text/language.ts";

const KEYS: Readonly<Record<string, string>> = { sae: "WPA3", wpa: "WPA2", wpa2: "WPA2" };

/** True for a MAC address that a device made up to stay private (IEEE 802c: second-least bit of the first octet). */
function isPrivateMac(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 0b10) !== 0;
}

/** Who the device is: its addresses, key, and times. */
export function Identity(
  { identity, device }: { identity: string; device: Device },
): VNode {
  const editing = useSignal(false);
  const reserving = useSignal(false);
  const first = parseWhen(device.DHCPFirstTime);
  return (
    <section class="panel" aria-labelledby="identity">
      <header>
        <h2 id="identity">{t("Identity")}</h2>
      </header>
      <dl class="kv pad">
        {device.MAC && !isPending(identity) && (
          <>
            <dt>{t("MAC address")}</dt>
            <dd>
              <span class="mono">{device.MAC}</span>
              {isPrivateMac(device.MAC) && <span class="quiet">{t(", randomised")}</span>}
            </dd>
          </>
        )}
        {device.WGPubKey && (
          <>
            <dt>{t("VPN key")}</dt>
            <dd class="mono">{device.WGPubKey}</dd>
          </>
        )}
        <dt>{t("Wi-Fi key")}</dt>
        <dd>
          {device.PSKEntry.Type
            ? t("device password, {keys}", {
              keys: KEYS[device.PSKEntry.Type] ?? device.PSKEntry.Type,
            })
            : t("none")}
        </dd>
        <dt>{t("IP address")}</dt>
        <dd>
          {device.RecentIP || t("unknown")}{" "}
          <button class="link" type="button" onClick={() => reserving.value = true}>
            {t("Reserve")}
            <span class="vh">{t("another address")}</span>
          </button>
        </dd>
        <dt>{t("Interface")}</dt>
        <dd>
          {device.DHCPLastInterface ? <Name>{device.DHCPLastInterface}</Name> : t("unknown")}
        </dd>
        <dt>{t("VLAN")}</dt>
        <dd>{device.VLANTag || t("none")}</dd>
        <dt>{t("First seen")}</dt>
        <dd>{first === null ? t("unknown") : `${day(first)}, ${clock(first)}`}</dd>
        <dt>{t("Expires")}</dt>
        <dd>
          {expiryText(device)}{" "}
          <button class="link" type="button" onClick={() => editing.value = true}>
            {t("Change")}
            <span class="vh">{t("when it expires")}</span>
          </button>
        </dd>
      </dl>
      {reserving.value && (
        <ReserveDialog
          identity={identity}
          address={device.RecentIP}
          onClose={() => reserving.value = false}
        />
      )}
      {editing.value && (
        <ExpiryDialog
          identity={identity}
          device={device}
          onClose={() => editing.value = false}
        />
      )}
    </section>
  );
}

function expiryText(device: Device): string {
  if (device.DeviceExpiration === 0) return "never";
  const at = device.DeviceExpiration * 1000;
  return device.DeleteExpiration
    ? t("{day}, {clock}, then deleted", { day: day(at), clock: clock(at) })
    : t("{day}, {clock}, then blocked", { day: day(at), clock: clock(at) });
}

/** Dialog that gives a device another fixed address. */
function ReserveDialog(
  { identity, address, onClose }: { identity: string; address: string; onClose: () => void },
): VNode {
  const value = useSignal(address);
  const write = useForm({
    check: () =>
      value.value.trim() === ""
        ? [{ pointer: "/RecentIP", message: t("This field is required") }]
        : [],
    send: () => previewForm(reserveAddress(identity, value.value.trim(), onClose)),
  });
  return (
    <Dialog kind="box" title={t("Reserve address")} focusTitle={false} onClose={onClose}>
      <Form write={write} failed={t("The address was not reserved.")} class="inner form">
        <Field
          label={t("IP address")}
          help={t("The device gets it the next time it requests an address")}
          autocomplete="off"
          {...write.text("RecentIP", value)}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Reserve")}</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>{t("Cancel")}</button>
        </div>
      </Form>
    </Dialog>
  );
}
