import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type AlertRule = Schemas["AlertRule"];
export type AlertTrial = Schemas["AlertTrial"];
export type AlertChannel = Schemas["AlertChannel"];
export type ChannelKind = AlertChannel["kind"];
export type ChannelState = Schemas["AlertChannelState"];
export type ChannelTest = Schemas["AlertChannelTest"];
export type PushKey = Schemas["AlertPushKey"];
