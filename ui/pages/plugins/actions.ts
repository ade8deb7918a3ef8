import type { Action } from "../../actions/action.ts";
import type { Plugin, PluginReview } from "./wire.ts";
import { t } from "../../text/language.ts";

const PATH = "/plugins_api";

/** Turns a plugin on or off. */
export function switchPlugin({ Name }: Plugin, on: boolean, after: () => void): Action {
  return {
    title: on ? t("Preview: plugin on") : t("Preview: plugin off"),
    subject: Name,
    sentence: on
      ? t("starts with the rights that were approved.")
      : t("is stopped. Its pages, open connections and API token end at once."),
    button: on ? t("Turn on") : t("Turn off"),
    danger: !on,
    done: on ? t("is on.") : t("is off."),
    request: () => ({
      method: "PUT",
      path: on ? "/startPlusExtension" : "/stopPlusExtension",
      query: { name: Name },
    }),
    after,
  };
}

/** Removes a plugin. */
export function removePlugin({ Name }: Plugin, after: () => void): Action {
  return {
    title: t("Preview: remove plugin"),
    subject: Name,
    sentence: t("will be removed. Its pages, open connections and API token end at once."),
    button: t("Remove plugin"),
    danger: true,
    done: t("was removed."),
    request: () => ({ method: "DELETE", path: `${PATH}/${encodeURIComponent(Name)}` }),
    after,
  };
}

/** Installs what was reviewed, or updates to it. */
export function approve(
  { hash, manifest, change }: PluginReview,
  accepts: { readonly signer: boolean; readonly older: boolean },
  after: () => void,
): Action {
  const { Name, Version } = manifest;
  return {
    title: change === null ? t("Preview: install plugin") : t("Preview: update plugin"),
    subject: `${Name} ${Version}`,
    sentence: change === null
      ? t("is installed and turned on, with these rights.")
      : t("takes the place of the installed version, with these rights."),
    button: change === null ? t("Install") : t("Update"),
    done: change === null ? t("was installed.") : t("was updated."),
    request: () => ({
      method: "PUT",
      path: "/plugin/install",
      body: { hash, acceptSigner: accepts.signer, acceptOlder: accepts.older },
    }),
    after,
  };
}
