import type { Action } from "../../actions/action.ts";
import { ApiProblem } from "../../api/problem.ts";
import { listText } from "../firewall/text.ts";
import type { MulticastAddress, MulticastSettings } from "./wire.ts";

/** How the settings that hold at the moment of a write become others. */
export interface Settings {
  /** What holds now, as far as it was loaded. */
  readonly now: () => MulticastSettings;
  /** Loads what holds now, and answers its entity tag. */
  readonly fresh: () => Promise<string | null>;
  readonly after: () => void;
}

function write(
  { now, fresh, after }: Settings,
  next: (now: MulticastSettings) => Partial<MulticastSettings>,
  text: Omit<Action, "request" | "after">,
): Action {
  return {
    ...text,
    reload: fresh,
    request: () => ({
      method: "PUT",
      path: "/multicastSettings",
      body: { ...now(), ...next(now()) },
    }),
    after,
  };
}

/** The name of a group. */
export function addressName({ Description, Address }: MulticastAddress): string {
  return Description || Address;
}

/** The devices that a group is reflected to. */
export function whereText({ Tags }: Pick<MulticastAddress, "Tags">): string {
  return Tags.length === 0
    ? "reflected between all LAN interfaces"
    : `reflected between interfaces with a device tagged ${listText(Tags)}`;
}

/** Turns the reflector on or off. */
export function switchAll(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ Disabled: !on }), {
    title: `Preview: reflector ${on ? "on" : "off"}`,
    subject: "mDNS/SSDP reflector",
    sentence: on
      ? "forwards the enabled multicast groups between LAN interfaces."
      : "is off. Devices are not discovered across interfaces.",
    button: on ? "Turn on" : "Turn off",
    done: on ? "is on." : "is off.",
  });
}

/** Enables or disables one group. */
export function switchAddress(settings: Settings, one: MulticastAddress, on: boolean): Action {
  const flip = (other: MulticastAddress) =>
    other.Address === one.Address ? { ...other, Disabled: !on } : other;
  return write(settings, ({ Addresses }) => ({ Addresses: Addresses.map(flip) }), {
    title: `Preview: multicast group ${on ? "on" : "off"}`,
    subject: addressName(one),
    sentence: on ? `is ${whereText(one)}.` : "is not forwarded to other interfaces.",
    button: on ? "Enable" : "Disable",
    done: on ? "is reflected." : "is no longer reflected.",
  });
}

/** Adds a multicast group. */
export function addAddress(settings: Settings, one: MulticastAddress): Action {
  return write(settings, ({ Addresses }) => ({ Addresses: [...Addresses, one] }), {
    title: "Preview: new multicast group",
    subject: addressName(one),
    sentence: `is ${whereText(one)}.`,
    button: "Add group",
    done: "is reflected.",
  });
}

/** Changes the description or tags of a group. Throws where it is gone. */
export function editAddress(
  settings: Settings,
  one: MulticastAddress,
  next: Pick<MulticastAddress, "Tags" | "Description">,
): Action {
  const edit = ({ Addresses }: MulticastSettings): Partial<MulticastSettings> => {
    if (!Addresses.some(({ Address }) => Address === one.Address)) {
      throw new ApiProblem(0, "Someone else deleted this group. Add it again.");
    }
    return {
      Addresses: Addresses.map((other) =>
        other.Address === one.Address ? { ...other, ...next } : other
      ),
    };
  };
  const edited = { ...one, ...next };
  return write(settings, edit, {
    title: "Preview: multicast group",
    subject: addressName(edited),
    sentence: one.Disabled ? "stays disabled." : `is ${whereText(edited)}.`,
    button: "Save group",
    done: "was changed.",
  });
}

/** Deletes a group. */
export function dropAddress(settings: Settings, one: MulticastAddress): Action {
  const others = (list: readonly MulticastAddress[]) =>
    list.filter(({ Address }) => Address !== one.Address);
  return write(settings, ({ Addresses }) => ({ Addresses: others(Addresses) }), {
    title: "Preview: delete multicast group",
    subject: addressName(one),
    sentence: one.Disabled
      ? "will be deleted. It was disabled."
      : "will be deleted. It is no longer forwarded to other interfaces.",
    button: "Delete group",
    danger: true,
    done: "was deleted.",
  });
}

/** Turns responding for the router's mDNS name on or off. */
export function advertise(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ DisableMDNSAdvertise: !on }), {
    title: `Preview: mDNS name ${on ? "on" : "off"}`,
    subject: "This router",
    sentence: on ? "responds to its .local name." : "no longer responds to its .local name.",
    button: on ? "Turn on" : "Turn off",
    done: on ? "responds to its .local name." : "no longer responds to its .local name.",
  });
}

/** Sets the router's mDNS name; empty for its host name. */
export function rename(settings: Settings, MDNSName: string): Action {
  const name = MDNSName === "" ? "its host name" : `${MDNSName}.local`;
  return write(settings, () => ({ MDNSName }), {
    title: "Preview: mDNS name",
    subject: "This router",
    sentence: `responds to ${name}.`,
    button: "Save name",
    done: `responds to ${name}.`,
  });
}
