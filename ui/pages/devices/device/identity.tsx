import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../../actions/action.ts";
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
        <h2 id="identity">Identity</h2>
      </header>
      <dl class="kv pad">
        {device.MAC && !isPending(identity) && (
          <>
            <dt>MAC address</dt>
            <dd>
              <span class="mono">{device.MAC}</span>
              {isPrivateMac(device.MAC) && <span class="quiet">, randomised</span>}
            </dd>
          </>
        )}
        {device.WGPubKey && (
          <>
            <dt>VPN key</dt>
            <dd class="mono">{device.WGPubKey}</dd>
          </>
        )}
        <dt>Wi-Fi key</dt>
        <dd>
          {device.PSKEntry.Type
            ? `device password, ${KEYS[device.PSKEntry.Type] ?? device.PSKEntry.Type}`
            : "none"}
        </dd>
        <dt>IP address</dt>
        <dd>
          {device.RecentIP || "unknown"}{" "}
          <button class="link" type="button" onClick={() => reserving.value = true}>
            Reserve<span class="vh">another address</span>
          </button>
        </dd>
        <dt>Interface</dt>
        <dd>
          {device.DHCPLastInterface ? <Name>{device.DHCPLastInterface}</Name> : "unknown"}
        </dd>
        <dt>VLAN</dt>
        <dd>{device.VLANTag || "none"}</dd>
        <dt>First seen</dt>
        <dd>{first === null ? "unknown" : `${day(first)}, ${clock(first)}`}</dd>
        <dt>Expires</dt>
        <dd>
          {expiryText(device)}{" "}
          <button class="link" type="button" onClick={() => editing.value = true}>
            Change<span class="vh">when it expires</span>
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
  return `${day(at)}, ${clock(at)}, then ${device.DeleteExpiration ? "deleted" : "blocked"}`;
}

/** Dialog that gives a device another fixed address. */
function ReserveDialog(
  { identity, address, onClose }: { identity: string; address: string; onClose: () => void },
): VNode {
  const value = useSignal(address);
  const write = useForm({
    check: () =>
      value.value.trim() === ""
        ? [{ pointer: "/RecentIP", message: "This field is required" }]
        : [],
    send: () => previewForm(reserveAddress(identity, value.value.trim(), onClose)),
  });
  return (
    <Dialog kind="box" title="Reserve address" focusTitle={false} onClose={onClose}>
      <Form write={write} failed="The address was not reserved." class="inner form">
        <Field
          label="IP address"
          help="The device gets it the next time it requests an address"
          autocomplete="off"
          {...write.text("RecentIP", value)}
        />
        <div class="row">
          <SubmitButton write={write}>Reserve</SubmitButton>
          <button class="btn" type="button" onClick={onClose}>Cancel</button>
        </div>
      </Form>
    </Dialog>
  );
}
