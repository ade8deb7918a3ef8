import type { Action } from "../../actions/action.ts";
import type { Radio, RoamingConfig, WifiNetwork } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Seconds of the confirm window: the person may be on this Wi-Fi. */
const CONFIRM_WINDOW_S = 90;

/** Turns a radio on or off. */
export function switchRadio({ name }: Pick<Radio, "name">, on: boolean, after: () => void): Action {
  return {
    title: on ? t("Preview: radio on") : t("Preview: radio off"),
    subject: name,
    sentence: on
      ? t("becomes an access point.")
      : t("goes off the air. Its clients are disconnected; its settings stay."),
    button: on ? t("Turn on") : t("Turn off"),
    danger: !on,
    done: on ? t("is on.") : t("is off."),
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
    title: t("Preview: Wi-Fi settings of {name}", { name }),
    subject: name,
    sentence: t("starts anew with these settings. Its clients reconnect."),
    button: t("Apply without auto-revert"),
    done: t("has new settings."),
    confirmWithin: CONFIRM_WINDOW_S,
    request: () => ({ method: "PUT", path: `/hostapd/${name}/config`, body }),
    after,
  };
}

/** Gives a radio its first settings again. */
export function resetRadio(name: string, after: () => void): Action {
  return {
    title: t("Preview: reset {name}", { name }),
    subject: name,
    sentence: t("gets its first settings again, also its network name. Its clients reconnect."),
    button: t("Apply without auto-revert"),
    danger: true,
    done: t("was reset."),
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
    title: t("Preview: additional network"),
    subject: body.Ssid,
    sentence: t("is a network of {radio}. Clients of {radio} reconnect.", { radio }),
    button: t("Save network"),
    done: t("is on the air."),
    request: () => ({ method: "PUT", path: `/hostapd/${radio}/enableExtraBSS`, body }),
    after,
  };
}

/** Deletes the additional network of a radio. */
export function dropNetwork({ radio, ssid }: WifiNetwork, after: () => void): Action {
  return {
    title: t("Preview: delete network"),
    subject: ssid,
    sentence: t("will be deleted. Its clients are disconnected."),
    button: t("Delete network"),
    danger: true,
    done: t("was deleted."),
    request: () => ({ method: "DELETE", path: `/hostapd/${radio}/enableExtraBSS` }),
    after,
  };
}

/** Moves a radio to another channel. */
export function useChannel(radio: string, channel: number, after: () => void): Action {
  return {
    title: t("Preview: channel of {radio}", { radio }),
    subject: radio,
    sentence: t("moves to channel {channel}. Its clients reconnect.", { channel }),
    button: t("Apply without auto-revert"),
    done: t("is on channel {channel}.", { channel }),
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
    title: t("Preview: client steering"),
    subject: t("Client steering"),
    sentence: config.DryRun ? t("recommends only; nothing is sent to clients.") : t(
      "offers clients with a weak signal a better radio. Some clients may lose their connection for a moment.",
    ),
    button: t("Save"),
    done: config.DryRun ? t("recommends only.") : t("is on."),
    request: () => ({ method: "PUT", path: "/hostapd/roaming/config", body: config }),
    after,
  };
}
