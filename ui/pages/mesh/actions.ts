import type { Action } from "../../actions/action.ts";
import { devicesText } from "./text.ts";
import type { LeafProbe } from "./wire.ts";
import { t } from "../../text/language.ts";

const PATH = "/plugins/mesh";

/** Adds a router that was looked at. */
export function addLeaf(
  { IP, Lost, Overlaps, Plain }: Pick<LeafProbe, "IP" | "Lost" | "Overlaps" | "Plain">,
  { APIToken, encrypted }: { readonly APIToken: string; readonly encrypted: boolean },
  after: () => void,
): Action {
  const needsForce = Lost.length > 0 || Overlaps.length > 0;
  return {
    title: t("Preview: add a leaf router"),
    subject: IP,
    sentence: Lost.length === 0
      ? t("becomes a leaf router. It takes its Wi-Fi devices from this router.")
      : t("becomes a leaf router. It loses {devices} of its own.", {
        devices: devicesText(Lost.length),
      }),
    button: t("Add leaf router"),
    danger: needsForce,
    done: t("is a leaf router."),
    request: () => ({
      method: "PUT",
      path: `${PATH}/leafRouter`,
      ...(needsForce ? { query: { force: "true" } } : {}),
      body: { IP, APIToken, Link: Plain ? "none" : encrypted ? "wireguard" : "vxlan" },
    }),
    after,
  };
}

/** Asks a leaf router to update. */
export function updateLeaf(IP: string, name: string, after: () => void): Action {
  return {
    title: t("Preview: update a leaf router"),
    subject: name,
    sentence: t("is asked to run the release that is selected on it."),
    button: t("Request update"),
    done: t(
      "was asked to update. If its release has to be installed by hand, its notice says how.",
    ),
    request: () => ({ method: "PUT", path: `${PATH}/updateLeaf`, body: { IP } }),
    after,
  };
}

/** Removes a leaf router. */
export function removeLeaf(IP: string, name: string, after: () => void): Action {
  return {
    title: t("Preview: remove a leaf router"),
    subject: name,
    sentence: t(
      "gets no devices from this router any more. Its leaf mode stays on until you turn it off there.",
    ),
    button: t("Remove"),
    danger: true,
    done: t("was removed."),
    request: () => ({ method: "DELETE", path: `${PATH}/leafRouter`, body: { IP } }),
    after,
  };
}

/** Turns leaf mode of this router off. */
export function leaveMesh(after: () => void): Action {
  return {
    title: t("Preview: leave the mesh"),
    subject: t("This router"),
    sentence: t(
      "decides about its devices itself again. The devices of its parent stay until you delete them, or undo the sync under Changes.",
    ),
    button: t("Leave the mesh"),
    danger: true,
    done: t("is no leaf router any more."),
    request: () => ({ method: "PUT", path: `${PATH}/leafMode/disable` }),
    after,
  };
}
