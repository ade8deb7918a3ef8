import type { Action } from "../../actions/action.ts";
import { ApiProblem } from "../../api/problem.ts";
import { listText } from "../firewall/text.ts";
import type { MulticastAddress, MulticastSettings } from "./wire.ts";
import { t } from "../../text/language.ts";

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
    ? t("reflected between all LAN interfaces")
    : t("reflected between interfaces with a device tagged {tags}", { tags: listText(Tags) });
}

/** Turns the reflector on or off. */
export function switchAll(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ Disabled: !on }), {
    title: on ? t("Preview: reflector on") : t("Preview: reflector off"),
    subject: t("mDNS/SSDP reflector"),
    sentence: on
      ? t("forwards the enabled multicast groups between LAN interfaces.")
      : t("is off. Devices are not discovered across interfaces."),
    button: on ? t("Turn on") : t("Turn off"),
    done: on ? t("is on.") : t("is off."),
  });
}

/** Enables or disables one group. */
export function switchAddress(settings: Settings, one: MulticastAddress, on: boolean): Action {
  const flip = (other: MulticastAddress) =>
    other.Address === one.Address ? { ...other, Disabled: !on } : other;
  return write(settings, ({ Addresses }) => ({ Addresses: Addresses.map(flip) }), {
    title: on ? t("Preview: multicast group on") : t("Preview: multicast group off"),
    subject: addressName(one),
    sentence: on
      ? t("is {where}.", { where: whereText(one) })
      : t("is not forwarded to other interfaces."),
    button: on ? t("Enable") : t("Disable"),
    done: on ? t("is reflected.") : t("is no longer reflected."),
  });
}

/** Adds a multicast group. */
export function addAddress(settings: Settings, one: MulticastAddress): Action {
  return write(settings, ({ Addresses }) => ({ Addresses: [...Addresses, one] }), {
    title: t("Preview: new multicast group"),
    subject: addressName(one),
    sentence: t("is {where}.", { where: whereText(one) }),
    button: t("Add group"),
    done: t("is reflected."),
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
      throw new ApiProblem(0, t("Someone else deleted this group. Add it again."));
    }
    return {
      Addresses: Addresses.map((other) =>
        other.Address === one.Address ? { ...other, ...next } : other
      ),
    };
  };
  const edited = { ...one, ...next };
  return write(settings, edit, {
    title: t("Preview: multicast group"),
    subject: addressName(edited),
    sentence: one.Disabled ? t("stays disabled.") : t("is {where}.", { where: whereText(edited) }),
    button: t("Save group"),
    done: t("was changed."),
  });
}

/** Deletes a group. */
export function dropAddress(settings: Settings, one: MulticastAddress): Action {
  const others = (list: readonly MulticastAddress[]) =>
    list.filter(({ Address }) => Address !== one.Address);
  return write(settings, ({ Addresses }) => ({ Addresses: others(Addresses) }), {
    title: t("Preview: delete multicast group"),
    subject: addressName(one),
    sentence: one.Disabled
      ? t("will be deleted. It was disabled.")
      : t("will be deleted. It is no longer forwarded to other interfaces."),
    button: t("Delete group"),
    danger: true,
    done: t("was deleted."),
  });
}

/** Turns responding for the router's mDNS name on or off. */
export function advertise(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ DisableMDNSAdvertise: !on }), {
    title: on ? t("Preview: mDNS name on") : t("Preview: mDNS name off"),
    subject: t("This router"),
    sentence: on ? t("responds to its .local name.") : t("no longer responds to its .local name."),
    button: on ? t("Turn on") : t("Turn off"),
    done: on ? t("responds to its .local name.") : t("no longer responds to its .local name."),
  });
}

/** Sets the router's mDNS name; empty for its host name. */
export function rename(settings: Settings, MDNSName: string): Action {
  const name = MDNSName === "" ? t("its host name") : `${MDNSName}.local`;
  return write(settings, () => ({ MDNSName }), {
    title: t("Preview: mDNS name"),
    subject: t("This router"),
    sentence: t("responds to {name}.", { name }),
    button: t("Save name"),
    done: t("responds to {name}.", { name }),
  });
}
