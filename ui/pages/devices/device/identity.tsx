import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { clock, day, parseWhen } from "../../../text/time.ts";
import { Name } from "../../../parts/show/name.tsx";
import type { Device } from "../../../wire.ts";
import { isPending } from "../add/join_outcome.ts";
import { ExpiryDialog } from "./expiry.tsx";

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
        <dd>{device.RecentIP || "unknown"}</dd>
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
