import type { Config } from "../config.ts";
import { createHash } from "node:crypto";
import { kindOf } from "../devices/identity.ts";
import type { Device } from "../devices/schema.ts";
import type { SyncDevice } from "../devices/wire.ts";

/** The devices that a leaf is sent, as the body of `PUT /devices`. */
export interface LeafDevices {
  readonly count: number;
  /** JSON; "{}" where there is no Wi-Fi device, which is not sent. */
  readonly body: string;
  /** Tells this list from any other. */
  readonly digest: string;
}

/**
 * What a leaf needs of the devices: those that can join its access points, with their passwords, policies
 * and groups. Addresses, VPN keys, tags, resolvers and expiries stay with the parent, which routes,
 * filters and ends access.
 */
export function leafDevices({ devices }: Pick<Config, "devices">): LeafDevices {
  const sent: Record<string, SyncDevice> = {};
  for (const identity of Object.keys(devices).sort()) {
    const device = devices[identity]!;
    if (kindOf(identity) === "key" || device.PSKEntry.Psk === "") continue;
    sent[identity] = needed(device);
  }
  const body = JSON.stringify(sent);
  return {
    count: Object.keys(sent).length,
    body,
    digest: createHash("sha256").update(body).digest("hex"),
  };
}

function needed({ Name, MAC, PSKEntry, Policies, Groups, DeviceDisabled }: Device): SyncDevice {
  return {
    Name,
    MAC,
    PSKEntry: { Type: PSKEntry.Type, Psk: PSKEntry.Psk },
    Policies: [...Policies],
    Groups: [...Groups],
    DeviceDisabled,
  };
}
