import * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
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
  const rejected: RejectedEntry[] = [];
  const value: Group[] = [];
  raw.forEach((entry, index) => {
    const group = readGroup(entry);
    const message = typeof group === "string"
      ? group
      : value.some(({ Name }) => Name === group.Name)
      ? `The group ${group.Name} stands here twice`
      : null;
    if (message === null) value.push(group as Group);
    else rejected.push({ pointer: pointer([index]), message, raw: entry });
  });
  return { value, rejected };
}

function readGroup(entry: unknown): Group | string {
  if (typeof entry !== "object" || entry === null) return "Write an object";
  const raw = entry as Readonly<Record<string, unknown>>;
  const parsed = Group.safeParse({
    Name: raw.Name,
    Disabled: raw.Disabled ?? false,
    GroupTags: raw.GroupTags ?? [],
    ServiceDestinations: raw.ServiceDestinations ?? [],
    ...(raw.Title === undefined ? {} : { Title: raw.Title }),
    ...(raw.Isolated === undefined ? {} : { Isolated: raw.Isolated }),
    ...(raw.Policies === undefined ? {} : { Policies: raw.Policies }),
    ...(raw.Schedule === undefined ? {} : { Schedule: raw.Schedule }),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return `${pointer(issue.path)}: ${issue.message}`;
}
