import type { Action } from "../../../actions/action.ts";
import type { BlockList } from "../wire.ts";
import { t } from "../../../text/language.ts";
import { orList } from "../../../text/format.ts";

/** Where block lists are. */
export const BLOCKLISTS = "/plugins/dns/block/blocklists";

/** The entries of a comma-separated text. */
export function listed(text: string): readonly string[] {
  return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** A list as people call it: the host and the last part of its address. */
export function listName(uri: string): string {
  if (uri.startsWith("upload:")) return uri.slice("upload:".length);
  const [, host = uri, path = ""] = /^https?:\/\/([^/]+)\/?(.*)$/.exec(uri) ?? [];
  const last = path.split("/").filter((part) => part !== "").at(-1);
  return last === undefined ? host : t("{last} of {host}", { last, host });
}

/** Adds a list, or changes the one with its address. */
export function setList(list: BlockList, after: () => void = () => {}): Action {
  const whom = list.Tags.length === 0
    ? t("all devices")
    : t("devices with {tags}", { tags: orList(list.Tags) });
  const sentence = !list.Enabled
    ? t("is disabled.")
    : list.DontBlock
    ? t("only logs matching domains.")
    : t("blocks its domains for {whom} once loaded.", { whom });
  return {
    title: t("Preview: block list"),
    subject: listName(list.URI),
    sentence,
    button: list.Enabled ? t("Save list") : t("Disable"),
    done: list.Enabled ? t("was saved and is loading.") : t("was disabled."),
    request: () => ({ method: "PUT", path: BLOCKLISTS, body: list }),
    after,
  };
}

/** Uploads a list; its URI is made of its name. */
export function uploadList(list: BlockList, text: string, after: () => void): Action {
  const { URI, ...fields } = list;
  return {
    ...setList(list, after),
    subject: URI,
    request: () => ({
      method: "PUT",
      path: `/plugins/dns/block/upload/${encodeURIComponent(URI)}`,
      body: { ...fields, Text: text },
    }),
  };
}
