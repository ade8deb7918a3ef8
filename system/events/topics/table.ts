import { z } from "zod";
import { TOPICS } from "./topics.ts";

/** A JSON schema, as far as the table shows one. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly additionalProperties?: unknown;
}

/** Fields that a cell names. */
const SHOWN_FIELDS = 8;

/** The table of the topics for docs/events.md, in Markdown. */
export function topicTable(): string {
  const rows = TOPICS.map(({ name, what, path, payload, passing }) => [
    `\`${name}${name.endsWith(":") ? "…" : ""}\``,
    `${what}${passing ? "; not kept" : ""}`,
    text(z.toJSONSchema(payload, { unrepresentable: "any" }) as Shape),
    `\`${path}\``,
  ]);
  return ["topic|when|payload|path", "-|-|-|-", ...rows.map((row) => row.join("|"))]
    .map((row) => `|${row}|`).join("\n");
}

function text(shape: Shape): string {
  if (shape.anyOf) return shape.anyOf.map(text).join("; or ");
  if (shape.type === "array") return `a list of: ${text(shape.items ?? {})}`;
  const { properties = {}, required = [], additionalProperties } = shape;
  const names = Object.keys(properties).map((name) =>
    `\`${name}\`${required.includes(name) ? "" : "?"}`
  );
  const isOpen = typeof additionalProperties === "object" && additionalProperties !== null;
  if (names.length === 0) return isOpen ? "an object by name" : "an empty object";
  const isCut = names.length > SHOWN_FIELDS;
  return names.slice(0, SHOWN_FIELDS).join(", ") + (isOpen || isCut ? ", …" : "");
}
