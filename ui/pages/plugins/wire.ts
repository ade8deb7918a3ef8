import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A plugin as it is configured. */
export type Plugin = Schemas["Plugin"];

/** How a plugin runs, and what it may do. */
export type PluginStatus = Schemas["PluginStatus"];

/** What a plugin asks for, before it is installed. */
export type PluginReview = Schemas["PluginReview"];

/** One right in a sentence. */
export type Right = Schemas["PluginRight"];

/** A session of a plugin's page. */
export type PluginSession = Schemas["PluginUiSession"];
