import * as z from "zod";

/** What is known of a topic, or of all topics that begin alike. */
export interface Topic {
  /** The topic, or with a colon or `*` at its end the beginning of several. */
  readonly name: string;
  /** When it comes, in a few words. */
  readonly what: string;
  /** The path of the API that shows the same by GET; the right to read it covers the events. */
  readonly path: string;
  /** What is published, and no more, by the names that existing clients read. */
  readonly payload: z.ZodType;
  /** Not kept in the event store unless its settings name the topic. */
  readonly passing?: true;
}

export const text = z.string();
export const whole = z.int();

/** Names of the entries of a document that changed; null: too many, read it anew. */
const DocumentEvent = z.strictObject({
  change: text,
  document: text,
  keys: z.array(text).nullable(),
});

/** The topic of a document of the configuration, published when its entries change. */
export const document = (name: string, path: string, what: string): Topic => ({
  ...{ name, path, payload: DocumentEvent },
  what: `${what} changed`,
});

/** The beginning of topics, as people write it: whole, since a wildcard would fit no topic. */
export const TopicBeginning = z.string().max(200)
  .regex(/^[^*?\s]*$/, "Write how the topics begin, without wildcards: dns: instead of dns:*");
