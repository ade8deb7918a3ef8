import type { Action } from "../../../actions/action.ts";
import { devices } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { flipSentence, type Policy } from "../../../text/policies.ts";
import { nameOf } from "../../../text/format.ts";
import { t, tn } from "../../../text/language.ts";

const EMPTY: readonly string[] = [];
const NO_ADDRESS = [t("The device has no address. The change takes effect once it has one.")];

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
    title: on
      ? t("Preview: {title} on", { title: policy.title })
      : t("Preview: {title} off", { title: policy.title }),
    subject: name,
    sentence: flipSentence(policy, on),
    details: addressNote(identity),
    button: on
      ? t("Turn on {title}", { title: policy.title })
      : t("Turn off {title}", { title: policy.title }),
    done: flipSentence(policy, on),
    device: identity,
    request: edit(identity, () => ({ Policies: withPolicy(identity, policy.name, present) })),
  };
}

/** Blocks a device, or ends that. */
export function blockDevice(identity: string, policy: Policy, on: boolean): Action {
  const name = nameOf(identity, current(identity));
  return {
    title: on ? t("Preview: block") : t("Preview: unblock"),
    subject: name,
    sentence: flipSentence(policy, on),
    details: addressNote(identity),
    button: on ? t("Block device") : t("Unblock device"),
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
    title: t("Preview: tag {tag}", { tag }),
    subject: name,
    sentence: add ? t("gets the tag {tag}.", { tag }) : t("loses the tag {tag}.", { tag }),
    button: add ? t("Add {tag}", { tag }) : t("Remove {tag}", { tag }),
    done: add ? t("has the tag {tag}.", { tag }) : t("no longer has the tag {tag}.", { tag }),
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
    title: t("Preview: reserve address"),
    subject: nameOf(identity, current(identity)),
    sentence: t("gets the address {address} from its next request on.", { address }),
    button: t("Reserve"),
    done: t("has the address {address} reserved.", { address }),
    device: identity,
    request: edit(identity, () => ({ RecentIP: address })),
    after,
  };
}

/** Renames a device. */
export function renameDevice(identity: string, name: string): Action {
  return {
    title: t("Preview: rename"),
    subject: nameOf(identity, current(identity)),
    sentence: t("is renamed to {name}.", { name }),
    button: t("Rename"),
    done: t("was renamed to {name}.", { name }),
    device: identity,
    request: edit(identity, () => ({ Name: name })),
  };
}

/** Changes the icon and colour of a device. */
export function styleDevice(identity: string, Icon: string, Color: string): Action {
  return {
    title: t("Preview: icon"),
    subject: nameOf(identity, current(identity)),
    sentence: t("gets a new icon."),
    button: t("Save"),
    done: t("has a new icon."),
    device: identity,
    request: edit(identity, () => ({ Style: { Icon, Color } })),
  };
}

/** Sets the expiry of a device: seconds from now, unix time, or -1 for never. */
export function expireDevice(identity: string, seconds: number, remove: boolean): Action {
  const sentence = seconds < 0
    ? t("never expires.")
    : remove
    ? t("expires, and is then deleted.")
    : t("expires, and is then blocked.");
  return {
    title: t("Preview: expiry"),
    subject: nameOf(identity, current(identity)),
    sentence,
    button: t("Save"),
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
    device?.RecentIP && t("its address {recentIP}", { recentIP: device.RecentIP }),
    device?.PSKEntry.Type && t("its own Wi-Fi password"),
    device?.WGPubKey && t("its VPN key"),
    device && device.Policies.length > 0 &&
    tn("{count} policy", "{count} policies", device.Policies.length),
    device && device.Groups.length > 0 &&
    t("its place in {groups}", { groups: device.Groups.join(", ") }),
    device && device.DeviceTags.length > 0 &&
    tn("{count} tag", "{count} tags", device.DeviceTags.length),
  ].filter((part) => typeof part === "string" && part !== "");
  return {
    title: t("Preview: delete device"),
    subject: nameOf(identity, device),
    sentence: t("is deleted."),
    details: [
      ...(lost.length > 0 ? [t("Also deleted: {lost}.", { lost: lost.join(", ") })] : []),
      t("If it joins again it needs approval. You can undo this."),
    ],
    button: t("Delete device"),
    danger: true,
    done: t("is deleted."),
    device: identity,
    request: () => ({ method: "DELETE", path: "/device", query: { identity } }),
    after,
  };
}
