import type { Action } from "../../actions/action.ts";
import type { Radio, RoamingConfig, WifiNetwork } from "./wire.ts";

/** Seconds of the confirm window: the person may be on this Wi-Fi. */
const CONFIRM_WINDOW_S = 90;

/** Turns a radio on or off. */
export function switchRadio({ name }: Pick<Radio, "name">, on: boolean, after: () => void): Action {
  return {
    title: `Preview: radio ${on ? "on" : "off"}`,
    subject: name,
    sentence: on
      ? "becomes an access point."
      : "goes off the air. Its clients are disconnected; its settings stay.",
    button: on ? "Turn on" : "Turn off",
    danger: !on,
    done: on ? "is on." : "is off.",
    // Who turns it off may be on it.
    ...(on ? {} : { confirmWithin: CONFIRM_WINDOW_S }),
    request: () => ({ method: "PUT", path: `/hostapd/${name}/${on ? "enable" : "disable"}` }),
    after,
  };
}

/** Changes the settings of a radio. */
export function saveRadio(
  name: string,
  body: Readonly<Record<string, unknown>>,
  after: () => void,
): Action {
  return {
    title: `Preview: Wi-Fi settings of ${name}`,
    subject: name,
    sentence: "starts anew with these settings. Its clients reconnect.",
    button: "Apply without auto-revert",
    done: "has new settings.",
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({ method: "PUT", path: `/hostapd/${name}/config`, body }),
    after,
  };
}

/** Gives a radio its first settings again. */
export function resetRadio(name: string, after: () => void): Action {
  return {
    title: `Preview: reset ${name}`,
    subject: name,
    sentence: "gets its first settings again, also its network name. Its clients reconnect.",
    button: "Apply without auto-revert",
    danger: true,
    done: "was reset.",
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({ method: "PUT", path: `/hostapd/${name}/resetConfiguration` }),
    after,
  };
}

/** Sets the additional network of a radio. */
export function saveNetwork(
  radio: string,
  body: Readonly<Record<string, unknown>> & { readonly Ssid: string },
  after: () => void,
): Action {
  return {
    title: "Preview: additional network",
    subject: body.Ssid,
    sentence: `is a network of ${radio}. Clients of ${radio} reconnect.`,
    button: "Save network",
    done: "is on the air.",
    request: () => ({ method: "PUT", path: `/hostapd/${radio}/enableExtraBSS`, body }),
    after,
  };
}

/** Deletes the additional network of a radio. */
export function dropNetwork({ radio, ssid }: WifiNetwork, after: () => void): Action {
  return {
    title: "Preview: delete network",
    subject: ssid,
    sentence: "will be deleted. Its clients are disconnected.",
    button: "Delete network",
    danger: true,
    done: "was deleted.",
    request: () => ({ method: "DELETE", path: `/hostapd/${radio}/enableExtraBSS` }),
    after,
  };
}

/** Moves a radio to another channel. */
export function useChannel(radio: string, channel: number, after: () => void): Action {
  return {
    title: `Preview: channel of ${radio}`,
    subject: radio,
    sentence: `moves to channel ${channel}. Its clients reconnect.`,
    button: "Apply without auto-revert",
    done: `is on channel ${channel}.`,
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({
      method: "PUT",
      path: `/hostapd/${radio}/config`,
      body: { Channel: channel },
    }),
    after,
  };
}

/** Replaces the settings of client steering. */
export function setSteering(config: RoamingConfig, after: () => void): Action {
  return {
    title: "Preview: client steering",
    subject: "Client steering",
    sentence: config.DryRun
      ? "recommends only; nothing is sent to clients."
      : "offers clients with a weak signal a better radio. Some clients may lose their connection for a moment.",
    button: "Save",
    done: config.DryRun ? "recommends only." : "is on.",
    request: () => ({ method: "PUT", path: "/hostapd/roaming/config", body: config }),
    after,
  };
}
