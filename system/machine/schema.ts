import * as z from "zod";
import { line } from "../core/net/grammar.ts";

/** A host name of one label (RFC 1123 2.1); "" where none was chosen. */
export const HostName = z.string()
  .regex(/^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)?$/, {
    error: "Write 1 to 63 letters, digits and '-', such as router",
  });

/** Channels that releases come in. */
export const CHANNELS = ["main", "-dev"] as const;

/** A part of a tag: what stands before or behind others in file names and addresses. */
const TagPart = z.string().max(64).regex(/^\.?([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?)?$/, {
  error: "Use letters, digits, '-', '_' and single '.' only",
});

/** Optional features. */
const FLAGS = ["rustap", "webllm"] as const;
export const FeatureFlags = z.array(z.enum(FLAGS, { error: `Use ${FLAGS.join(" or ")}` }))
  .transform((flags): readonly (typeof FLAGS)[number][] =>
    FLAGS.filter((flag) => flags.includes(flag))
  );

/** Selected release, and update settings: `base/updates.json`. */
export const Updates = z.object({
  /** "" is the main channel. */
  CustomChannel: TagPart.default(""),
  /** "" is the newest. */
  CustomVersion: TagPart.default(""),
  AutoUpdate: z.boolean().default(false),
  CheckUpdates: z.boolean().default(true),
  FeatureFlags: FeatureFlags.default([]),
});
export type Updates = Readonly<z.output<typeof Updates>>;

/** Body of `PUT /releaseSet`: what is missing or empty stays as it is. */
export const ReleaseSet = z.object({
  CustomChannel: TagPart.default(""),
  CustomVersion: TagPart.default(""),
  Current: z.string().max(128).default(""),
}).meta({ id: "ReleaseSet" });

/** Running version, and selected release. */
export const Release = z.object({
  CustomChannel: z.string(),
  CustomVersion: z.string(),
  Current: z.string(),
}).meta({ id: "Release" });
export type Release = z.output<typeof Release>;

const Colour = z.string().regex(/^#[0-9a-fA-F]{6}$/, { error: "Write a colour such as #1a2b3c" });

/**
 * Names of fonts as a page's style takes them, of which none can end that style's line (CSS Fonts 4,
 * font-family).
 */
const Font = z.string().max(128).refine((text) => /^[\p{L}\p{N} ,'"._-]*$/u.test(text), {
  error: "Name fonts by letters, digits, blanks, quotes and ',', such as Inter, sans-serif",
}).meta({
  // As near as expressions come that any tool reads: those know no letters of other scripts.
  pattern: "^[^\\x00-\\x1f!#-&(-+/:-@\\[-^`{-\\x9f]*$",
  examples: ["Inter, sans-serif"],
});

/** A custom theme of the UI. */
export const Theme = z.object({
  id: z.string().regex(/^custom-[a-z0-9-]{1,64}$/, {
    error: "Begin with custom- and use lower-case letters, digits and '-'",
  }),
  name: line(64).refine((name) => name !== "", { error: "Enter a name for the theme" }),
  spec: z.object({
    colorMode: z.enum(["light", "dark"], { error: "Use light or dark" }),
    accent: Colour,
    background: Colour,
    card: Colour,
    text: Colour,
    font: Font.optional(),
  }),
}).meta({ id: "Theme" });
export type Theme = z.output<typeof Theme>;

/** Bytes that a request with themes may have. */
export const MAX_THEMES_BYTES = 64 * 1024;

/** Custom themes that a router has at most. */
export const MAX_THEMES = 32;

/** All of them: `base/custom_themes.json`. */
export const Themes = z.array(Theme).max(MAX_THEMES, { error: "Keep 32 themes at most" })
  .superRefine((themes, context) => {
    themes.forEach(({ id }, index) => {
      if (themes.findIndex((other) => other.id === id) === index) return;
      const message = `The theme ${id} stands in the list twice`;
      context.addIssue({ code: "custom", path: [index, "id"], message });
    });
  });

/** What the machine has and what is left of it; bytes. */
export const Resources = z.object({
  Load: z.number().describe("Processes that wait or run, over the last minute"),
  Cores: z.int().describe("Processors"),
  MemoryTotal: z.number(),
  MemoryFree: z.number().describe("What programs can still get"),
  DiskTotal: z.number(),
  DiskFree: z.number(),
}).meta({ id: "Resources" });
export type Resources = z.output<typeof Resources>;
