import type { Action } from "../../actions/action.ts";
import type { Plugin, PluginReview } from "./wire.ts";

const PATH = "/plugins_api";

/** Turns a plugin on or off. */
export function switchPlugin({ Name }: Plugin, on: boolean, after: () => void): Action {
  return {
    title: `Preview: plugin ${on ? "on" : "off"}`,
    subject: Name,
    sentence: on
      ? "starts with the rights that were approved."
      : "is stopped. Its pages, open connections and API token end at once.",
    button: on ? "Turn on" : "Turn off",
    danger: !on,
    done: on ? "is on." : "is off.",
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
    title: "Preview: remove plugin",
    subject: Name,
    sentence: "will be removed. Its pages, open connections and API token end at once.",
    button: "Remove plugin",
    danger: true,
    done: "was removed.",
    request: () => ({ method: "DELETE", path: `${PATH}/${encodeURIComponent(Name)}` }),
    after,
  };
}

/** Installs what was reviewed, or updates to it. */
export function approve({ hash, manifest, change }: PluginReview, after: () => void): Action {
  const { Name, Version } = manifest;
  return {
    title: change === null ? "Preview: install plugin" : "Preview: update plugin",
    subject: `${Name} ${Version}`,
    sentence: change === null
      ? "is installed and turned on, with these rights."
      : "takes the place of the installed version, with these rights.",
    button: change === null ? "Install" : "Update",
    done: change === null ? "was installed." : "was updated.",
    request: () => ({ method: "PUT", path: "/plugin/install", body: { hash } }),
    after,
  };
}
