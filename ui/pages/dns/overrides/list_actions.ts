import type { Action } from "../../../actions/action.ts";
import type { OverrideList } from "../wire.ts";

/** The list that every decision goes to unless it is put into another; it has no name of people's. */
export const DEFAULT_LIST = "Default";

/** How a list is called. */
export function listText({ Name }: Pick<OverrideList, "Name">): string {
  return Name === DEFAULT_LIST ? "My rules" : Name;
}

function pathOf(name: string): string {
  return `/plugins/dns/block/overrideList/${encodeURIComponent(name)}`;
}

function whom(tags: readonly string[]): string {
  return tags.length === 0 ? "all devices" : `devices with the tag ${tags.join(" or ")}`;
}

/** Adds a list with nothing in it. */
export function addOverrideList(
  { name, tags }: { readonly name: string; readonly tags: readonly string[] },
  after: () => void,
): Action {
  const sentence = `applies to ${whom(tags)}.`;
  return {
    title: "Preview: rule list",
    subject: name,
    sentence,
    button: "Add list",
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
    title: `Preview: rule list ${on ? "on" : "off"}`,
    subject: listText(list),
    sentence: on ? "applies again." : "no longer applies. Its rules are kept.",
    button: on ? "Enable" : "Disable",
    done: on ? "applies again." : "no longer applies.",
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
  const sentence = `applies to ${whom(tags)}.`;
  return {
    title: "Preview: applies to",
    subject: listText(list),
    sentence,
    button: "Save",
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
  const sentence = `is renamed to ${name}. Its rules stay the same.`;
  return {
    title: "Preview: rename list",
    subject: listText(list),
    sentence,
    button: "Rename",
    done: sentence,
    request: () => ({ method: "PUT", path: `${pathOf(list.Name)}/name`, body: { Name: name } }),
    after,
  };
}

/** Deletes a list with its overrides. */
export function dropOverrideList(list: OverrideList, after: () => void): Action {
  const count = list.PermitDomains.length + list.BlockDomains.length;
  const also = count === 0
    ? []
    : [`${count} ${count === 1 ? "rule is" : "rules are"} deleted with it.`];
  return {
    title: "Preview: delete rule list",
    subject: listText(list),
    sentence: "will be deleted.",
    details: also,
    button: "Delete list",
    danger: true,
    done: "was deleted.",
    request: () => ({ method: "DELETE", path: pathOf(list.Name) }),
    after,
  };
}
