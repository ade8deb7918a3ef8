import type { Action } from "../../../actions/action.ts";
import type { OverrideList } from "../wire.ts";

/** The list that every decision goes to unless it is put into another; it has no name of people's. */
export const DEFAULT_LIST = "Default";

/** How a list is called. */
export function listWord({ Name }: Pick<OverrideList, "Name">): string {
  return Name === DEFAULT_LIST ? "Yours" : Name;
}

function pathOf(name: string): string {
  return `/plugins/dns/block/overrideList/${encodeURIComponent(name)}`;
}

function whom(tags: readonly string[]): string {
  return tags.length === 0 ? "every device" : `devices with the tag ${tags.join(" or ")}`;
}

/** Adds a list with nothing in it. */
export function addOverrideList(
  { name, tags }: { readonly name: string; readonly tags: readonly string[] },
  after: () => void,
): Action {
  const sentence = `holds decisions for ${whom(tags)}.`;
  return {
    title: "Preview: list of overrides",
    subject: name,
    sentence,
    button: "Add this list",
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
    title: `Preview: overrides ${on ? "on" : "off"}`,
    subject: listWord(list),
    sentence: on ? "decides about its names again." : "stays as it is but decides about no name.",
    button: on ? "Enable" : "Disable",
    done: on ? "decides about its names again." : "decides about no name.",
    request: () => ({
      method: "PUT",
      path: pathOf(list.Name),
      body: { Name: list.Name, Enabled: on, Tags: list.Tags },
    }),
    after,
  };
}

/** Lets a list decide for other devices. */
export function tagOverrideList(
  list: OverrideList,
  tags: readonly string[],
  after: () => void,
): Action {
  const sentence = `decides for ${whom(tags)}.`;
  return {
    title: "Preview: for whom a list decides",
    subject: listWord(list),
    sentence,
    button: "Decide for these",
    done: sentence,
    request: () => ({
      method: "PUT",
      path: pathOf(list.Name),
      body: { Name: list.Name, Enabled: list.Enabled, Tags: tags },
    }),
    after,
  };
}

/** Gives a list another name. */
export function renameOverrideList(list: OverrideList, name: string, after: () => void): Action {
  const sentence = `is called ${name}; what it decides stays.`;
  return {
    title: "Preview: another name",
    subject: listWord(list),
    sentence,
    button: "Call it so",
    done: sentence,
    request: () => ({ method: "PUT", path: `${pathOf(list.Name)}/name`, body: { Name: name } }),
    after,
  };
}

/** Takes a list away with all that is in it. */
export function dropOverrideList(list: OverrideList, after: () => void): Action {
  const count = list.PermitDomains.length + list.BlockDomains.length;
  const also = count === 0
    ? []
    : [`${count} ${count === 1 ? "decision goes" : "decisions go"} with it.`];
  return {
    title: "Preview: delete a list of overrides",
    subject: listWord(list),
    sentence: "is deleted.",
    details: also,
    button: "Delete this list",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: pathOf(list.Name) }),
    after,
  };
}
