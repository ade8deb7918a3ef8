import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

export type AlertRule = Schemas["AlertRule"];
export type AlertTrial = Schemas["AlertTrial"];
