import type { Action } from "../../actions/action.ts";
import { devicesText } from "./text.ts";
import type { LeafProbe } from "./wire.ts";

const PATH = "/plugins/mesh";

/** Adds a router that was looked at. */
export function addLeaf(
  { IP, Lost }: Pick<LeafProbe, "IP" | "Lost">,
  APIToken: string,
  after: () => void,
): Action {
  return {
    title: "Preview: add a leaf router",
    subject: IP,
    sentence: Lost.length === 0
      ? "becomes a leaf router. It takes its Wi-Fi devices from this router."
      : `becomes a leaf router. It loses ${devicesText(Lost.length)} of its own.`,
    button: "Add leaf router",
    danger: Lost.length > 0,
    done: "is a leaf router.",
    request: () => ({
      method: "PUT",
      path: `${PATH}/leafRouter`,
      ...(Lost.length === 0 ? {} : { query: { force: "true" } }),
      body: { IP, APIToken },
    }),
    after,
  };
}

/** Removes a leaf router. */
export function removeLeaf(IP: string, name: string, after: () => void): Action {
  return {
    title: "Preview: remove a leaf router",
    subject: name,
    sentence: "gets no devices from this router any more. Its leaf mode stays on until you turn " +
      "it off there.",
    button: "Remove",
    danger: true,
    done: "was removed.",
    request: () => ({ method: "DELETE", path: `${PATH}/leafRouter`, body: { IP } }),
    after,
  };
}

/** Turns leaf mode of this router off. */
export function leaveMesh(after: () => void): Action {
  return {
    title: "Preview: leave the mesh",
    subject: "This router",
    sentence: "decides about its devices itself again. The devices of its parent stay until you " +
      "delete them, or undo the sync under Changes.",
    button: "Leave the mesh",
    danger: true,
    done: "is no leaf router any more.",
    request: () => ({ method: "PUT", path: `${PATH}/leafMode/disable` }),
    after,
  };
}
