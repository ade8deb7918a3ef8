import * as z from "zod";
import { ABSENT_TOPICS } from "./absent.ts";
import { TOPICS } from "./topics.ts";

/** A JSON schema, as far as the table shows one. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly additionalProperties?: unknown;
  /** Of a shape with a name, as `#/$defs/<name>`. */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** The tables of the topics for docs/events.md, in Markdown: those that come, and those that never do. */
export function topicTables(): string {
  return `${topicTable()}\n\nTopics of existing routers that never come here:\n\n${absentTable()}`;
}

function absentTable(): string {
  const rows = ABSENT_TOPICS.map(({ name, why }) => [shown(name), why]);
  return markdown([["topic", "why"], ["-", "-"], ...rows]);
}

function shown(name: string): string {
  return `\`${name}${name.endsWith(":") ? "…" : ""}\``;
}

function markdown(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `|${cells.join("|")}|`).join("\n");
}

function topicTable(): string {
  const rows = TOPICS.map(({ name, what, path, payload, passing }) => [
    shown(name),
    `${what}${passing ? "; not kept" : ""}`,
    text(z.toJSONSchema(payload, { unrepresentable: "any" }) as Shape),
    `\`${path}\``,
  ]);
  return markdown([["topic", "when", "payload", "path"], ["-", "-", "-", "-"], ...rows]);
}

function text(shape: Shape, named = shape.$defs ?? {}): string {
  if (shape.$ref) return text(named[shape.$ref.replace("#/$defs/", "")]!, named);
  if (shape.anyOf) return shape.anyOf.map((one) => text(one, named)).join("; or ");
  if (shape.type === "array") return `a list of: ${text(shape.items ?? {}, named)}`;
  const { properties = {}, required = [], additionalProperties } = shape;
  const names = Object.keys(properties).map((name) =>
    `\`${name}\`${required.includes(name) ? "" : "?"}`
  );
  const isOpen = typeof additionalProperties === "object" && additionalProperties !== null;
  if (names.length === 0) return isOpen ? "an object by name" : "an empty object";
  return names.join(", ") + (isOpen ? ", …" : "");
}
