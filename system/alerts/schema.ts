import * as z from "zod";
import { MAX_LENGTH } from "../events/jpath/grammar.ts";
import { TopicBeginning } from "../events/topics/topic.ts";

const Line = z.string().max(200);

/** What follows where a rule fires. `BucketSuffix` and `StoreTopicSuffix` are one and the same. */
export const AlertAction = z.object({
  SendNotification: z.boolean().default(false)
    .describe("Is shown by open pages and clients, and sent by the channels"),
  StoreAlert: z.boolean().default(false).describe("Is stored, and listed until it is resolved"),
  StoreTopicSuffix: Line.default("").describe("End of the alert's topic"),
  BucketSuffix: Line.default("").describe("The same, as existing clients call it"),
  MessageTitle: Line.default("").describe("Template of the title, with `{{path.to.field}}`"),
  MessageBody: z.string().max(2000).default("").describe("Template of the text"),
  NotificationType: z.string().max(40).default("")
    .describe("`info`, `warning`, `success` or `error`"),
  ActionType: z.string().max(40).default("").describe("Not used"),
  GrabEvent: z.boolean().default(false).describe("The alert holds the event"),
  GrabValues: z.boolean().default(false).describe("The alert holds the values of the conditions"),
  GrabFields: z.array(Line.min(1)).max(100).default([])
    .describe("Fields of the event that it holds, all without any; `/…/` is a regular expression"),
}).meta({ id: "AlertAction" });
export type AlertAction = z.output<typeof AlertAction>;

const Condition = z.object({
  JPath: z.string().min(1).max(MAX_LENGTH).describe("A condition; docs/events.md says how"),
}).meta({ id: "AlertCondition" });

/** A rule: which events are alerts, and what follows. */
export const AlertRule = z.object({
  TopicPrefix: TopicBeginning.min(1),
  MatchAnyOne: z.boolean().default(false).describe("One condition that matches suffices"),
  InvertRule: z.boolean().default(false).describe("Fires where the conditions do not match"),
  Conditions: z.array(Condition).max(10).default([]),
  Actions: z.array(AlertAction).min(1).max(10),
  Name: z.string().min(1).max(100),
  Disabled: z.boolean().default(false),
  RuleId: z.string().max(64).default(""),
}).meta({ id: "AlertRule" });
export type AlertRule = z.output<typeof AlertRule>;

/** A rule by its index: what is missing stays as it is. */
export const AlertRuleUpdate = z.object({
  TopicPrefix: TopicBeginning.optional(),
  MatchAnyOne: z.boolean().optional(),
  InvertRule: z.boolean().optional(),
  Conditions: z.array(Condition).max(10).optional(),
  Actions: z.array(AlertAction).max(10).optional(),
  Name: z.string().max(100).optional(),
  Disabled: z.boolean().optional(),
  RuleId: z.string().max(64).optional(),
}).meta({ id: "AlertRuleUpdate" });
export type AlertRuleUpdate = z.output<typeof AlertRuleUpdate>;

export const AlertRules = z.array(AlertRule).max(200);

/** The index of a rule in the list, or its `RuleId`. */
export const AlertReference = z.object({
  index: z.string().regex(
    /^(\d{1,4}|[0-9a-fA-F-]{36})$/,
    "Send the index of a rule, or its RuleId",
  ),
});

/** What a rule would have done. */
export const AlertTrial = z.object({
  looked: z.int().describe("Events of the last day whose topic fits"),
  matched: z.int(),
  complete: z.boolean().describe("False where there were more events than were looked at"),
  items: z.array(z.object({
    topic: z.string(),
    at: z.int().describe("Unix milliseconds"),
    title: z.string(),
    body: z.string(),
    event: z.record(z.string(), z.unknown()),
  })).describe("The latest that match"),
}).meta({ id: "AlertTrial" });
