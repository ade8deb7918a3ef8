import type { Action } from "../../actions/action.ts";
import type { Answer } from "../../api/client.ts";
import type { GuestPass, Guests } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Turns the guest network on, or changes it; `after` gets its password where that is new. */
export function saveGuests(
  body: Readonly<Record<string, unknown>> & { readonly Name: string },
  isNew: boolean,
  after: (password: string) => void,
): Action {
  return {
    title: t("Preview: guest network"),
    subject: body.Name,
    sentence: isNew
      ? t("is a network for guests, who reach the Internet only. Clients of its radios reconnect.")
      : t("has these settings. Clients of its radios reconnect."),
    button: isNew ? t("Turn on") : t("Save guest network"),
    done: t("is on the air."),
    request: () => ({ method: "PUT", path: "/wifi/guests", body }),
    after: (answer) => {
      const { Password } = (answer as Answer<Guests>).body;
      after(Password === "**" ? "" : Password);
    },
  };
}

/** Ends the guest network. */
export function endGuests(name: string, after: () => void): Action {
  return {
    title: t("Preview: guest network off"),
    subject: name,
    sentence: t("goes off the air. Its guests are disconnected, and their own passwords end."),
    button: t("Turn off"),
    danger: true,
    done: t("is off."),
    request: () => ({ method: "DELETE", path: "/wifi/guests" }),
    after,
  };
}

/** Makes a password for one guest. */
export function makePass(
  body: { readonly Name: string; readonly Until: number },
  after: (password: string) => void,
): Action {
  return {
    title: t("Preview: password for a guest"),
    subject: body.Name,
    sentence: t("gets a Wi-Fi password and reaches the Internet only."),
    button: t("Generate password"),
    done: t("has a password."),
    request: () => ({ method: "PUT", path: "/wifi/guests/pass", body }),
    after: (answer) => after((answer as Answer<GuestPass>).body.Password),
  };
}

/** How long something lasts: value of a choice, words, and seconds. */
const SPANS = [
  ["none", t("Until I turn it off"), 0],
  ["4h", t("4 hours"), 4 * 3600],
  ["1d", t("1 day"), 24 * 3600],
  ["3d", t("3 days"), 3 * 24 * 3600],
  ["1w", t("1 week"), 7 * 24 * 3600],
] as const;

/** Choices of how long; `kept`: the time that stands, in words. */
export function spanOptions(kept: string): readonly (readonly [string, string])[] {
  const choices = SPANS.map(([value, text]) => [value, text] as const);
  return kept === "" ? choices : [["kept", kept] as const, ...choices];
}

/** Unix seconds at which a chosen span ends. */
export function endOf(choice: string, now: number, kept: number): number {
  if (choice === "kept") return kept;
  const seconds = SPANS.find(([value]) => value === choice)?.[2] ?? 0;
  return seconds === 0 ? 0 : Math.floor(now / 1000) + seconds;
}
