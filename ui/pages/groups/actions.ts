import type { Action } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { components } from "../../generated/api.ts";
import { devices, groups, loadDevices } from "../../state/store.ts";
import { nameOf } from "../../text/format.ts";
import type { Group, Schedule } from "../../wire.ts";
import { t, tn } from "../../text/language.ts";

type Body = components["schemas"]["GroupUpdate"];

/** Access that members of a group get, in words. */
export const ACCESS_OPTIONS = [
  ["", t("Unchanged")],
  ["wan,dns", t("Internet + DNS")],
  ["dns", t("Local only")],
  ["wan,dns,guestonly", t("Guest")],
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

/**
 * Loads the groups anew as {@link reload}, and refuses where what a form was filled from is stored no
 * longer: an entity tag of now would let the form replace unseen what someone else wrote.
 * Throws ApiProblem 412.
 */
async function reloadFor<T>(
  name: string,
  from: T,
  read: (group: Group) => T,
): Promise<string | null> {
  const etag = await reload();
  const group = groups.value?.find(({ Name }) => Name === name);
  if (group !== undefined && JSON.stringify(read(group)) !== JSON.stringify(from)) {
    throw new ApiProblem(412, t("Changed by someone else."));
  }
  return etag;
}

/** The group as it is stored, with these edits, as the API takes it. */
function edited(group: Group, edits: Partial<Body>): Body {
  const { Name, Disabled, GroupTags } = groups.value?.find(({ Name }) => Name === group.Name) ??
    group;
  return { Name, Disabled, GroupTags, ...edits };
}

/** Whether the schedule of a group limits what its members may use, while it is on. */
function hasTimes({ Schedule = [] }: Group): boolean {
  return Schedule.length > 0;
}

/** Creates a group with these members. */
export function createGroup(draft: GroupDraft, members: readonly string[]): Action {
  return {
    title: t("Preview: new group"),
    subject: draft.title,
    sentence: members.length === 0
      ? t("is created without members.")
      : tn("is created with {count} member.", "is created with {count} members.", members.length),
    button: t("Create group"),
    done: t("was created."),
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

/**
 * Changes the name, the access and whether members reach each other. `from`: what the form was filled
 * from; null replaces whatever is stored.
 */
export function changeGroup(group: Group, draft: GroupDraft, from: GroupDraft | null): Action {
  return {
    title: t("Preview: change group"),
    subject: draft.title,
    sentence: t("is changed. Members keep the access that they have."),
    button: t("Save"),
    done: t("was changed."),
    reload: from === null ? reload : () => reloadFor(group.Name, from, draftOf),
    request: () => ({ method: "PUT", path: "/groups", body: edited(group, fieldsOf(draft)) }),
  };
}

/** When members of a group may use its access, in the order that forms write. */
export function timesOf({ Schedule = [] }: Group): readonly Schedule[] {
  return Schedule.map(({ Days, From, To }) => ({ Days, From, To }));
}

/**
 * Sets when members may use the access of a group; no times for always. `from`: what the form was filled
 * from; null replaces whatever is stored.
 */
export function scheduleGroup(
  group: Group,
  times: readonly Schedule[],
  from: readonly Schedule[] | null,
): Action {
  const isLimited = times.length > 0;
  return {
    title: t("Preview: schedule"),
    subject: groupTitle(group),
    sentence: isLimited
      ? t("limits its members' access to the scheduled times.")
      : t("no longer limits access by time."),
    button: t("Save schedule"),
    done: isLimited ? t("has a new schedule.") : t("no longer has a schedule."),
    reload: from === null ? reload : () => reloadFor(group.Name, from, timesOf),
    request: () => ({
      method: "PUT",
      path: "/groups",
      body: edited(group, { Schedule: times.map((one) => ({ ...one, Days: [...one.Days] })) }),
    }),
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
    ? tn("{count} device", "{count} devices", added.length + removed.length)
    : nameOf(first, devices.value?.[first]);
  const title = groupTitle(group);
  const joins = added.length > 0;
  const frees = !group.Disabled && hasTimes(group);
  return {
    title: t("Preview: members"),
    subject,
    sentence: joins
      ? several ? t("join {title}.", { title }) : t("joins {title}.", { title })
      : several
      ? frees
        ? t("leave {title}. Its schedule no longer limits their access.", { title })
        : t("leave {title}. Other access stays as it is.", { title })
      : frees
      ? t("leaves {title}. Its schedule no longer limits the access of the device.", { title })
      : t("leaves {title}. Other access stays as it is.", { title }),
    button: joins ? t("Add") : t("Remove"),
    done: joins
      ? several ? t("were added to {title}.", { title }) : t("was added to {title}.", { title })
      : several
      ? t("were removed from {title}.", { title })
      : t("was removed from {title}.", { title }),
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
    title: on ? t("Preview: group on") : t("Preview: group off"),
    subject: groupTitle(group),
    sentence: on
      ? t("lets its members reach each other again.")
      : t("is disabled. Its members no longer reach each other through it."),
    ...(hasTimes(group)
      ? {
        details: [
          on
            ? t("Its schedule limits their access again.")
            : t("Its schedule no longer limits their access."),
        ],
      }
      : {}),
    button: on ? t("Enable") : t("Disable"),
    done: on ? t("was enabled.") : t("was disabled."),
    request: () => ({ method: "PUT", path: "/groups", body: edited(group, { Disabled: !on }) }),
  };
}

/** Deletes a group; its devices stay. */
export function deleteGroup(group: Group, size: number, after?: () => void): Action {
  return {
    title: t("Preview: delete group"),
    subject: groupTitle(group),
    sentence: t("is deleted."),
    details: [
      size === 0 ? t("It has no members.") : tn(
        "{count} member removed from it. The devices themselves stay.",
        "{count} members removed from it. The devices themselves stay.",
        size,
      ),
      ...(size > 0 && !group.Disabled && hasTimes(group)
        ? [t("Its schedule no longer limits their access.")]
        : []),
    ],
    button: t("Delete group"),
    danger: true,
    done: t("is deleted."),
    request: () => ({ method: "DELETE", path: "/groups", body: { Name: group.Name } }),
    ...(after === undefined ? {} : { after }),
  };
}
