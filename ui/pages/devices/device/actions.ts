import type { Action } from "../../../actions/action.ts";
import { devices } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { flipSentence, type Policy } from "../../../text/policies.ts";
import { count, nameOf } from "../../../text/format.ts";

const EMPTY: readonly string[] = [];
const NO_ADDRESS = ["The device has no address. The change takes effect once it has one."];

function current(identity: string): Device | undefined {
  return devices.value?.[identity];
}

/** Says why nobody gains or loses yet where the device has no address. */
function addressNote(identity: string): readonly string[] {
  return current(identity)?.RecentIP ? EMPTY : NO_ADDRESS;
}

function edit(identity: string, part: () => Partial<Device>): Action["request"] {
  return () => ({ method: "PUT", path: "/device", query: { identity }, body: part() });
}

function withPolicy(identity: string, policy: string, present: boolean): readonly string[] {
  const others = (current(identity)?.Policies ?? EMPTY).filter((other) => other !== policy);
  return present ? [...others, policy] : others;
}

/** Changes one policy of a device. `on` is the new state of the switch. */
export function flipPolicy(identity: string, policy: Policy, on: boolean): Action {
  const name = nameOf(identity, current(identity));
  const present = policy.inverted ? !on : on;
  return {
    title: `Preview: ${policy.title} ${on ? "on" : "off"}`,
    subject: name,
    sentence: flipSentence(policy, on),
    details: addressNote(identity),
    button: `Turn ${on ? "on" : "off"} ${policy.title}`,
    done: flipSentence(policy, on),
    device: identity,
    request: edit(identity, () => ({ Policies: withPolicy(identity, policy.name, present) })),
  };
}

/** Blocks a device, or ends that. */
export function blockDevice(identity: string, policy: Policy, on: boolean): Action {
  const name = nameOf(identity, current(identity));
  return {
    title: `Preview: ${on ? "block" : "unblock"}`,
    subject: name,
    sentence: flipSentence(policy, on),
    details: addressNote(identity),
    button: on ? "Block device" : "Unblock device",
    danger: on,
    done: flipSentence(policy, on),
    device: identity,
    request: edit(identity, () => ({
      Policies: withPolicy(identity, "disabled", on),
      DeviceDisabled: on,
    })),
  };
}

/** Adds or removes a tag. */
export function changeTag(identity: string, tag: string, add: boolean): Action {
  const name = nameOf(identity, current(identity));
  return {
    title: `Preview: tag ${tag}`,
    subject: name,
    sentence: add ? `gets the tag ${tag}.` : `loses the tag ${tag}.`,
    button: add ? `Add ${tag}` : `Remove ${tag}`,
    done: add ? `has the tag ${tag}.` : `no longer has the tag ${tag}.`,
    device: identity,
    request: edit(identity, () => {
      const others = (current(identity)?.DeviceTags ?? EMPTY).filter((other) => other !== tag);
      return { DeviceTags: add ? [...others, tag] : others };
    }),
  };
}

/** Gives a device another address, which no other device gets. */
export function reserveAddress(identity: string, address: string, after: () => void): Action {
  return {
    title: "Preview: reserve address",
    subject: nameOf(identity, current(identity)),
    sentence: `gets the address ${address} from its next request on.`,
    button: "Reserve",
    done: `has the address ${address} reserved.`,
    device: identity,
    request: edit(identity, () => ({ RecentIP: address })),
    after,
  };
}

/** Renames a device. */
export function renameDevice(identity: string, name: string): Action {
  return {
    title: "Preview: rename",
    subject: nameOf(identity, current(identity)),
    sentence: `is renamed to ${name}.`,
    button: "Rename",
    done: `was renamed to ${name}.`,
    device: identity,
    request: edit(identity, () => ({ Name: name })),
  };
}

/** Changes the icon and colour of a device. */
export function styleDevice(identity: string, Icon: string, Color: string): Action {
  return {
    title: "Preview: icon",
    subject: nameOf(identity, current(identity)),
    sentence: "gets a new icon.",
    button: "Save",
    done: "has a new icon.",
    device: identity,
    request: edit(identity, () => ({ Style: { Icon, Color } })),
  };
}

/** Sets the expiry of a device: seconds from now, unix time, or -1 for never. */
export function expireDevice(identity: string, seconds: number, remove: boolean): Action {
  const sentence = seconds < 0
    ? "never expires."
    : `expires, and is then ${remove ? "deleted" : "blocked"}.`;
  return {
    title: "Preview: expiry",
    subject: nameOf(identity, current(identity)),
    sentence,
    button: "Save",
    done: sentence,
    device: identity,
    request: edit(identity, () => ({
      DeviceExpiration: seconds,
      DeleteExpiration: seconds >= 0 && remove,
    })),
  };
}

/** Deletes a device, and says what goes with it. */
export function deleteDevice(identity: string, after: () => void): Action {
  const device = current(identity);
  const lost = [
    device?.RecentIP && `its address ${device.RecentIP}`,
    device?.PSKEntry.Type && "its own Wi-Fi password",
    device?.WGPubKey && "its VPN key",
    device && device.Policies.length > 0 && count(device.Policies.length, "policy", "policies"),
    device && device.Groups.length > 0 &&
    `its place in ${device.Groups.join(", ")}`,
    device && device.DeviceTags.length > 0 && count(device.DeviceTags.length, "tag"),
  ].filter((part) => typeof part === "string" && part !== "");
  return {
    title: "Preview: delete device",
    subject: nameOf(identity, device),
    sentence: "is deleted.",
    details: [
      ...(lost.length > 0 ? [`Also deleted: ${lost.join(", ")}.`] : []),
      "If it joins again it needs approval. You can undo this.",
    ],
    button: "Delete device",
    danger: true,
    done: "is deleted.",
    device: identity,
    request: () => ({ method: "DELETE", path: "/device", query: { identity } }),
    after,
  };
}
