import * as z from "zod";
import type { Document, Reading } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { Group } from "./group_schema.ts";

/** The groups (`configs/devices/groups.json`). */
export const groupsDocument: Document<readonly Group[]> = {
  path: "devices/groups.json",
  topic: "groups",
  schema: z.array(Group),
  fallback: [],
  read: readGroups,
  keyOf: (element) => String((element as Partial<Group>).Name),
};

/** Reads the groups; a name that is refused or stands twice is rejected. */
function readGroups(raw: unknown): Reading<readonly Group[]> {
  if (raw === null) return { value: [], rejected: [] };
  if (!Array.isArray(raw)) throw new Problem(400, "The groups are a list");
  return readList<Group>(raw, {
    schema: Group,
    prepare: withDefaults,
    fault: ({ Name }, before) =>
      before.some((one) => one.Name === Name) ? `The group ${Name} stands here twice` : null,
  });
}

/** The known fields of a group; older files leave some out. */
function withDefaults(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const raw = entry;
  return {
    Name: raw.Name,
    Disabled: raw.Disabled ?? false,
    GroupTags: raw.GroupTags ?? [],
    ServiceDestinations: raw.ServiceDestinations ?? [],
    ...(raw.Title === undefined ? {} : { Title: raw.Title }),
    ...(raw.Isolated === undefined ? {} : { Isolated: raw.Isolated }),
    ...(raw.Policies === undefined ? {} : { Policies: raw.Policies }),
    ...(raw.Schedule === undefined ? {} : { Schedule: raw.Schedule }),
  };
}
