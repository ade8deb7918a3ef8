import type { Action } from "../../actions/action.ts";
import { ApiProblem } from "../../api/problem.ts";
import { listWords } from "../firewall/words.ts";
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
  words: Omit<Action, "request" | "after">,
): Action {
  return {
    ...words,
    reload: fresh,
    request: () => ({
      method: "PUT",
      path: "/multicastSettings",
      body: { ...now(), ...next(now()) },
    }),
    after,
  };
}

/** What an address is called among people. */
export function addressName({ Description, Address }: MulticastAddress): string {
  return Description || Address;
}

/** Where an address is repeated to. */
export function whereWords({ Tags }: Pick<MulticastAddress, "Tags">): string {
  return Tags.length === 0
    ? "repeated between all links at home"
    : `repeated between links with a device of the tag ${listWords(Tags)}`;
}

/** Repeats multicast between links, or nothing at all. */
export function switchAll(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ Disabled: !on }), {
    title: `Preview: multicast ${on ? "on" : "off"}`,
    subject: "Multicast",
    sentence: on
      ? "is repeated between links at home, for the addresses that are on."
      : "stays on the link where it was sent. Devices find nothing on other links by themselves.",
    button: on ? "Repeat multicast" : "Repeat nothing",
    done: on ? "is repeated between links." : "is no longer repeated.",
  });
}

/** Repeats one address, or keeps it in the list without doing so. */
export function switchAddress(settings: Settings, one: MulticastAddress, on: boolean): Action {
  const flip = (other: MulticastAddress) =>
    other.Address === one.Address ? { ...other, Disabled: !on } : other;
  return write(settings, ({ Addresses }) => ({ Addresses: Addresses.map(flip) }), {
    title: `Preview: address ${on ? "on" : "off"}`,
    subject: addressName(one),
    sentence: on ? `is ${whereWords(one)}.` : "stays on the link where it was sent.",
    button: on ? "Enable" : "Disable",
    done: on ? "is repeated." : "is no longer repeated.",
  });
}

/** Adds an address that is repeated. */
export function addAddress(settings: Settings, one: MulticastAddress): Action {
  return write(settings, ({ Addresses }) => ({ Addresses: [...Addresses, one] }), {
    title: "Preview: new address",
    subject: addressName(one),
    sentence: `is ${whereWords(one)}.`,
    button: "Repeat this address",
    done: "is repeated.",
  });
}

/** Describes an address otherwise, or repeats it between other links. Throws where it is gone. */
export function editAddress(
  settings: Settings,
  one: MulticastAddress,
  next: Pick<MulticastAddress, "Tags" | "Description">,
): Action {
  const edit = ({ Addresses }: MulticastSettings): Partial<MulticastSettings> => {
    if (!Addresses.some(({ Address }) => Address === one.Address)) {
      throw new ApiProblem(0, "Somebody else has deleted this address. Add it anew.");
    }
    return {
      Addresses: Addresses.map((other) =>
        other.Address === one.Address ? { ...other, ...next } : other
      ),
    };
  };
  const edited = { ...one, ...next };
  return write(settings, edit, {
    title: "Preview: address",
    subject: addressName(edited),
    sentence: one.Disabled ? "stays switched off." : `is ${whereWords(edited)}.`,
    button: "Change this address",
    done: "is changed.",
  });
}

/** Takes an address out of the list. */
export function dropAddress(settings: Settings, one: MulticastAddress): Action {
  const others = (list: readonly MulticastAddress[]) =>
    list.filter(({ Address }) => Address !== one.Address);
  return write(settings, ({ Addresses }) => ({ Addresses: others(Addresses) }), {
    title: "Preview: delete address",
    subject: addressName(one),
    sentence: one.Disabled
      ? "is deleted. It was switched off."
      : "is deleted. It stays on the link where it was sent.",
    button: "Delete this address",
    danger: true,
    done: "is no longer in the list.",
  });
}

/** Tells this router's name to home, or not. */
export function advertise(settings: Settings, on: boolean): Action {
  return write(settings, () => ({ DisableMDNSAdvertise: !on }), {
    title: `Preview: name at home ${on ? "on" : "off"}`,
    subject: "This router",
    sentence: on ? "answers for its name at home." : "no longer answers for its name at home.",
    button: on ? "Answer for it" : "Stay silent",
    done: on ? "answers for its name at home." : "no longer answers for its name at home.",
  });
}

/** Names this router at home; empty takes its host name. */
export function rename(settings: Settings, MDNSName: string): Action {
  const name = MDNSName === "" ? "its host name" : `${MDNSName}.local`;
  return write(settings, () => ({ MDNSName }), {
    title: "Preview: name at home",
    subject: "This router",
    sentence: `answers to ${name} at home.`,
    button: "Use this name",
    done: `answers to ${name} at home.`,
  });
}
