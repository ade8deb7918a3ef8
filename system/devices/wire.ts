import * as z from "zod";
import { Ipv4, line, takes, WireguardKey } from "../core/net/grammar.ts";
import { Schedule } from "../core/time/schedule.ts";
import { MAX_TIMES } from "./groups/group_schema.ts";
import { Identity, isPendingIdentity } from "./identity.ts";
import { ASSIGNABLE_POLICIES, type Policy, POLICY_NAMES } from "./policies.ts";
import {
  Device,
  Label,
  MASK,
  orBlank,
  Psk,
  PskType,
  Style,
  UnicastMac,
  UnicastResolver,
  VlanTag,
} from "./schema.ts";

/** Labels of a kind that one device may hold. */
export const MAX_LABELS = 64;
const MAX_IDENTITIES = 10_000;

/** A list whose blanks are dropped, each other element checked by the schema, doubles joined. */
function list<T extends string>(item: z.ZodType<T>, most: number): z.ZodType<T[]> {
  const checked = z.array(z.string()).max(most, { error: `Send at most ${most}` })
    .transform((texts, context) => {
      const kept = new Set<T>();
      texts.forEach((text, index) => {
        if (text.trim() === "") return;
        const result = item.safeParse(text);
        if (result.success) kept.add(result.data);
        else {
          for (const { message } of result.error.issues) {
            context.addIssue({ code: "custom", message, path: [index] });
          }
        }
      });
      return [...kept];
    });
  return takes(checked, z.array(item).max(most));
}

/** A policy in any case. */
const PolicyName: z.ZodType<Policy> = z.string().trim().toLowerCase().pipe(
  z.enum(POLICY_NAMES, { error: `Use a policy: ${POLICY_NAMES.join(", ")}` }),
);

const BulkPolicyName: z.ZodType<Policy> = z.string().trim().toLowerCase().pipe(
  z.enum(ASSIGNABLE_POLICIES as readonly [Policy, ...Policy[]], {
    error: `Use a policy that several devices can get: ${ASSIGNABLE_POLICIES.join(", ")}`,
  }),
);

/** "" clears; "0" clears too, as existing clients send it. */
function clearedByZero(schema: z.ZodType<string>): z.ZodType<string> {
  return z.string().transform((text) => text.trim() === "0" ? "" : text).pipe(orBlank(schema));
}

/** As existing clients name a device that has yet to join, which has no MAC address. */
const PendingText = z.string().meta({ pattern: "^ *[Pp][Ee][Nn][Dd][Ii][Nn][Gg](-[0-9]+)? *$" });

/** The MAC address of a device; the name of a device that has yet to join stands for none. */
const SentMac = takes(
  z.preprocess(
    (text) => typeof text === "string" && isPendingIdentity(text) ? "" : text,
    orBlank(UnicastMac),
  ) as z.ZodType<string, string>,
  z.union([UnicastMac, PendingText, z.literal("")]),
);

/** A password, {@link MASK} for the one that is stored, or "" for none. */
const SentPsk = z.string().meta({
  pattern: "^([ -{}~]{8,63}|[*]{2}|)$",
  examples: ["correct horse battery"],
}).transform((text, context) => {
  if (text === "" || text === MASK) return text;
  const result = Psk.safeParse(text);
  if (result.success) return text;
  for (const { message } of result.error.issues) context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const Seconds = z.int().min(-1, { error: "Use seconds from now, or -1 for never" })
  .max(4_102_444_800, { error: "Choose a time before the year 2100" });

/**
 * What `PUT /device` takes. A missing field leaves what is stored, `[]` and `""` clear. `MAC` counts
 * only where the device is made. `DeviceExpiration`: seconds from now, or unix time from 10^9 on; -1
 * clears, 0 leaves.
 */
export const DeviceUpdate = z.object({
  Name: line(250).optional(),
  MAC: SentMac.optional(),
  WGPubKey: orBlank(WireguardKey).optional(),
  VLANTag: clearedByZero(VlanTag).optional(),
  RecentIP: orBlank(Ipv4).optional(),
  DNSCustom: clearedByZero(UnicastResolver).optional(),
  PSKEntry: z.object({
    Type: z.enum(["", ...PskType.options], { error: "Use sae, wpa2 or wpa" }).optional(),
    Psk: SentPsk.optional(),
  }).optional(),
  Policies: list(PolicyName, MAX_LABELS).optional().describe(
    "A list that changes other policies and leaves out noapi keeps it",
  ),
  AdminAccess: z.boolean().optional().describe(
    "Whether the device can open this router's web UI and SSH: true takes the policy noapi away, " +
      "false adds it",
  ),
  Groups: list(Label, MAX_LABELS).optional(),
  DeviceTags: list(Label, MAX_LABELS).optional(),
  Style: Style.partial().optional(),
  DeviceExpiration: Seconds.optional(),
  DeleteExpiration: z.boolean().optional(),
  DeviceDisabled: z.boolean().optional(),
}).meta({ id: "DeviceUpdate" });
export type DeviceUpdate = z.output<typeof DeviceUpdate>;

/** One whole device of a sync: what is missing is the default, and its policies are those of the list. */
export const SyncDevice = DeviceUpdate.omit({ AdminAccess: true }).extend({
  Policies: list(PolicyName, MAX_LABELS).optional(),
  Type: z.enum(["", "Container"]).optional(),
  /** Unix seconds as stored; 0 never. */
  DeviceExpiration: z.int().min(0).max(4_102_444_800).optional(),
}).meta({ id: "SyncDevice" });
export type SyncDevice = z.output<typeof SyncDevice>;

/** What `PUT /devices` takes: every device by its identity. */
export const DeviceSync = z.record(
  z.string().meta({ pattern: "^\\s*[A-Za-z0-9+/=:. -]+\\s*$" }),
  SyncDevice,
);
export type DeviceSync = z.output<typeof DeviceSync>;

/** A device as answers show it. */
export const DeviceAnswer = z.object({
  Name: z.string(),
  Type: z.string().optional().describe("Container for the device of a plugin; else left out"),
  MAC: z.union([UnicastMac, PendingText, z.literal("")])
    .describe("Lower case; of a device that has yet to join its identity, such as pending"),
  WGPubKey: Device.shape.WGPubKey,
  VLANTag: Device.shape.VLANTag,
  RecentIP: Device.shape.RecentIP,
  DNSCustom: Device.shape.DNSCustom,
  PSKEntry: z.object({ Type: z.string(), Psk: z.string() }),
  Policies: Device.shape.Policies,
  Groups: z.array(z.string()),
  DeviceTags: z.array(z.string()),
  DHCPFirstTime: z.string().describe("2006-01-02 15:04:05.000 +0000 UTC; empty for never"),
  DHCPLastTime: z.string(),
  DHCPLastInterface: z.string(),
  Style: z.object({ Icon: z.string(), Color: z.string() }),
  DeviceExpiration: z.int(),
  DeleteExpiration: z.boolean(),
  DeviceDisabled: z.boolean(),
  Online: z.boolean().describe("Associated, or holding a lease"),
}).meta({ id: "Device" });
export type DeviceAnswer = z.output<typeof DeviceAnswer>;

const Identities = z.array(Identity)
  .min(1, { error: "Name at least one device" })
  .max(MAX_IDENTITIES, { error: `Name at most ${MAX_IDENTITIES} devices` });

/** What `PUT /devices/bulk` takes; adds only. */
export const BulkAdd = z.object({
  Identities,
  Groups: list(Label, MAX_LABELS).optional(),
  Tags: list(Label, MAX_LABELS).optional(),
  Policies: list(BulkPolicyName, MAX_LABELS).optional(),
}).meta({ id: "BulkAdd" });
export type BulkAdd = z.output<typeof BulkAdd>;

/** What `PUT /devices/approve` takes: one decision about one device or several. */
export const Approval = z.object({
  Identities,
  Access: z.enum(["internet", "local", "guest", "blocked"]).describe(
    "internet: Internet and DNS; local: DNS, and what groups and rules allow; guest: as internet, " +
      "for a day unless an expiry is sent; blocked: nothing, and it does not wait for approval again",
  ),
  Name: line(250).optional().describe("For one device only"),
  Style: Style.partial().optional(),
  Groups: list(Label, MAX_LABELS).optional(),
  DeviceExpiration: Seconds.optional(),
  DeleteExpiration: z.boolean().optional(),
}).meta({ id: "Approval" });
export type Approval = z.output<typeof Approval>;

/** What `DELETE /devices` takes. */
export const BulkDelete = Identities;

export const BulkAddResult = z.object({ updated: z.array(z.string()), count: z.int() }).meta({
  id: "BulkAddResult",
});
export type BulkAddResult = z.output<typeof BulkAddResult>;

export const BulkDeleteResult = z.object({ deleted: z.array(z.string()), count: z.int() }).meta({
  id: "BulkDeleteResult",
});
export type BulkDeleteResult = z.output<typeof BulkDeleteResult>;

/** What `PUT /groups` takes; missing tags are none, and what else is missing stays as it is. */
export const GroupUpdate = z.object({
  Name: Label,
  Disabled: z.boolean().default(false),
  GroupTags: list(Label, MAX_LABELS).default([]),
  ServiceDestinations: z.array(line(256)).max(256).optional(),
  Title: line(64).optional().describe("The name with its capital letters, for people to read"),
  Isolated: z.boolean().optional().describe(
    "True: members do not reach each other, as of a group of guests; names, rules and blocking by " +
      "group still apply",
  ),
  Policies: list(PolicyName, MAX_LABELS).optional().describe(
    "Access that a device gets when `Members` makes it one",
  ),
  Schedule: z.array(Schedule).max(MAX_TIMES, { error: `Send at most ${MAX_TIMES} times` })
    .optional().describe(
      "When members may use the access that `Policies` names, even if granted elsewhere; [] for always",
    ),
  Members: z.array(Identity).max(MAX_IDENTITIES).optional().describe(
    "All members from now on: new ones get the policies of the group, others leave it",
  ),
}).meta({ id: "GroupUpdate" });
export type GroupUpdate = z.output<typeof GroupUpdate>;

/** What `DELETE /groups` takes; any name, so that an odd one of an old file can go too. */
export const GroupName = z.object({ Name: z.string().trim().toLowerCase().min(1).max(250) }).meta({
  id: "GroupName",
});
