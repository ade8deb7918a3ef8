import type { Action } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import type { components } from "../../generated/api.ts";
import { devices, groups, loadDevices } from "../../state/store.ts";
import { count, nameOf } from "../../text/format.ts";
import type { Group } from "../../wire.ts";

type Body = components["schemas"]["GroupUpdate"];

/** Access that members of a group get, in words. */
export const ACCESS_OPTIONS = [
  ["", "Unchanged"],
  ["wan,dns", "Internet + DNS"],
  ["dns", "Local only"],
  ["wan,dns,guestonly", "Guest"],
] as const;

/** What the fields of a group hold. */
export interface GroupDraft {
  readonly title: string;
  /** A value of {@link ACCESS_OPTIONS}, or the policies of another client. */
  readonly access: string;
  readonly isolated: boolean;
}

/** The name of a group as people write it. */
export function groupTitle({ Name, Title }: Pick<Group, "Name" | "Title">): string {
  return Title ?? Name;
}

/** The fields as a group has them. */
export function draftOf(group: Group): GroupDraft {
  return {
    title: groupTitle(group),
    access: (group.Policies ?? []).join(","),
    isolated: group.Isolated ?? false,
  };
}

/** What the fields say, as the API takes it. */
function fieldsOf(
  { title, access, isolated }: GroupDraft,
): Pick<Body, "Name" | "Title" | "Isolated" | "Policies"> {
  const Policies = access.split(",").filter((name) => name !== "");
  return {
    Name: title,
    Title: title,
    Isolated: isolated,
    Policies: Policies as NonNullable<Body["Policies"]>,
  };
}

/** Identities of the devices of a group, by name. */
export function membersOf(name: string): readonly string[] {
  return Object.entries(devices.value ?? {})
    .filter(([, device]) => device.Groups.includes(name))
    .toSorted((a, b) => nameOf(...a).localeCompare(nameOf(...b)))
    .map(([identity]) => identity);
}

async function reload(): Promise<string | null> {
  const [{ body, etag }] = await Promise.all([
    call<readonly Group[]>({ path: "/groups" }),
    loadDevices(),
  ]);
  groups.value = body;
  return etag;
}

/** The group as it is stored, with these edits, as the API takes it. */
function edited(group: Group, edits: Partial<Body>): Body {
  const { Name, Disabled, GroupTags } = groups.value?.find(({ Name }) => Name === group.Name) ??
    group;
  return { Name, Disabled, GroupTags, ...edits };
}

/** Creates a group with these members. */
export function createGroup(draft: GroupDraft, members: readonly string[]): Action {
  return {
    title: "Preview: new group",
    subject: draft.title,
    sentence: members.length === 0
      ? "is created without members."
      : `is created with ${count(members.length, "member")}.`,
    button: "Create group",
    done: "was created.",
    request: () => ({
      method: "PUT",
      path: "/groups",
      body: {
        ...fieldsOf(draft),
        Disabled: false,
        GroupTags: [],
        ...(members.length === 0 ? {} : { Members: [...members] }),
      },
    }),
  };
}

/** Changes the name, the access and whether members reach each other. */
export function changeGroup(group: Group, draft: GroupDraft): Action {
  return {
    title: "Preview: change group",
    subject: draft.title,
    sentence: "is changed. Members keep the access that they have.",
    button: "Save",
    done: "was changed.",
    reload,
    request: () => ({ method: "PUT", path: "/groups", body: edited(group, fieldsOf(draft)) }),
  };
}

/** Adds devices to a group and removes others, as one change. */
export function changeMembers(
  group: Group,
  added: readonly string[],
  removed: readonly string[] = [],
): Action {
  const [first = ""] = [...added, ...removed];
  const several = added.length + removed.length > 1;
  const subject = several
    ? count(added.length + removed.length, "device")
    : nameOf(first, devices.value?.[first]);
  const title = groupTitle(group);
  const joins = added.length > 0;
  return {
    title: "Preview: members",
    subject,
    sentence: joins
      ? `${several ? "join" : "joins"} ${title}.`
      : `${several ? "leave" : "leaves"} ${title}. Other access stays as it is.`,
    button: joins ? "Add" : "Remove",
    done: joins
      ? `${several ? "were" : "was"} added to ${title}.`
      : `${several ? "were" : "was"} removed from ${title}.`,
    reload,
    request: () => ({
      method: "PUT",
      path: "/groups",
      body: edited(group, {
        Members: [
          ...membersOf(group.Name).filter((identity) => !removed.includes(identity)),
          ...added,
        ],
      }),
    }),
  };
}

/** Enables or disables a group. */
export function switchGroup(group: Group, on: boolean): Action {
  return {
    title: `Preview: group ${on ? "on" : "off"}`,
    subject: groupTitle(group),
    sentence: on
      ? "lets its members reach each other again."
      : "is disabled. Its members no longer reach each other through it.",
    button: on ? "Enable" : "Disable",
    done: on ? "was enabled." : "was disabled.",
    request: () => ({ method: "PUT", path: "/groups", body: edited(group, { Disabled: !on }) }),
  };
}

/** Deletes a group; its devices stay. */
export function deleteGroup(group: Group, size: number, after?: () => void): Action {
  return {
    title: "Preview: delete group",
    subject: groupTitle(group),
    sentence: "is deleted.",
    details: [
      size === 0
        ? "It has no members."
        : `${count(size, "member", "members")} removed from it. The devices themselves stay.`,
    ],
    button: "Delete group",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: "/groups", body: { Name: group.Name } }),
    ...(after === undefined ? {} : { after }),
  };
}
