import type { Action } from "../../../actions/action.ts";
import type { OverrideList } from "../wire.ts";
import { t } from "../../../text/language.ts";
import { orList } from "../../../text/format.ts";

/** The list that every decision goes to unless it is put into another; it has no name of people's. */
export const DEFAULT_LIST = "Default";

/** How a list is called. */
export function listText({ Name }: Pick<OverrideList, "Name">): string {
  return Name === DEFAULT_LIST ? t("My rules") : Name;
}

function pathOf(name: string): string {
  return `/plugins/dns/block/overrideList/${encodeURIComponent(name)}`;
}

function whom(tags: readonly string[]): string {
  return tags.length === 0
    ? t("all devices")
    : t("devices with the tag {tags}", { tags: orList(tags) });
}

/** Adds a list with nothing in it. */
export function addOverrideList(
  { name, tags }: { readonly name: string; readonly tags: readonly string[] },
  after: () => void,
): Action {
  const sentence = t("applies to {whom}.", { whom: whom(tags) });
  return {
    title: t("Preview: rule list"),
    subject: name,
    sentence,
    button: t("Add list"),
    done: sentence,
    request: () => ({
      method: "PUT",
      path: pathOf(name),
      body: { Name: name, Enabled: true, Tags: tags },
    }),
    after,
  };
}

/** Switches a list on or off. */
export function switchOverrideList(list: OverrideList, after: () => void): Action {
  const on = !list.Enabled;
  return {
    title: on ? t("Preview: rule list on") : t("Preview: rule list off"),
    subject: listText(list),
    sentence: on ? t("applies again.") : t("no longer applies. Its rules are kept."),
    button: on ? t("Enable") : t("Disable"),
    done: on ? t("applies again.") : t("no longer applies."),
    request: () => ({
      method: "PUT",
      path: pathOf(list.Name),
      body: { Name: list.Name, Enabled: on, Tags: list.Tags },
    }),
    after,
  };
}

/** Sets the tags of the devices that a list applies to. */
export function tagOverrideList(
  list: OverrideList,
  tags: readonly string[],
  after: () => void,
): Action {
  const sentence = t("applies to {whom}.", { whom: whom(tags) });
  return {
    title: t("Preview: applies to"),
    subject: listText(list),
    sentence,
    button: t("Save"),
    done: sentence,
    request: () => ({
      method: "PUT",
      path: pathOf(list.Name),
      body: { Name: list.Name, Enabled: list.Enabled, Tags: tags },
    }),
    after,
  };
}

/** Renames a list. */
export function renameOverrideList(list: OverrideList, name: string, after: () => void): Action {
  const sentence = t("is renamed to {name}. Its rules stay the same.", { name });
  return {
    title: t("Preview: rename list"),
    subject: listText(list),
    sentence,
    button: t("Rename"),
    done: sentence,
    request: () => ({ method: "PUT", path: `${pathOf(list.Name)}/name`, body: { Name: name } }),
    after,
  };
}

/** Deletes a list with its overrides. */
export function dropOverrideList(list: OverrideList, after: () => void): Action {
  const count = list.PermitDomains.length + list.BlockDomains.length;
  const also = count === 0 ? [] : [
    count === 1
      ? t("{number} rule is deleted with it.", { number: count })
      : t("{number} rules are deleted with it.", { number: count }),
  ];
  return {
    title: t("Preview: delete rule list"),
    subject: listText(list),
    sentence: t("will be deleted."),
    details: also,
    button: t("Delete list"),
    danger: true,
    done: t("was deleted."),
    request: () => ({ method: "DELETE", path: pathOf(list.Name) }),
    after,
  };
}
