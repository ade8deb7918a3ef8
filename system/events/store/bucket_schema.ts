import * as z from "zod";

/** Name of a bucket: a topic. */
export const BucketName = z.string().trim().min(1).max(300);

export const BucketPath = z.object({ name: BucketName });
export const BucketOf = z.object({ bucket: BucketName });
export const ItemPath = z.object({ name: BucketName, key: z.string().min(1).max(300) });
export const NewBucket = z.object({ name: BucketName }).meta({ id: "NewBucket" });

/** An item of a bucket: whatever was published or put. */
export const ItemValue = z.unknown();

export const BucketItem = z.object({
  Key: z.string().describe(
    "Time of the item (RFC 3339 with nanoseconds), or the name it was put under",
  ),
  Value: ItemValue,
}).meta({ id: "BucketItem" });

export const FullBucket = z.object({ name: z.string(), items: z.array(BucketItem) })
  .meta({ id: "FullBucket" });

export const BucketsQuery = z.object({
  full: z.string().max(10).optional().describe("`1` or `true`: with their items"),
});

export const StoreStats = z.object({
  Size: z.int().describe("Bytes"),
  Topics: z.array(z.string()).describe("Topics that are stored or named by the settings"),
}).meta({ id: "EventStoreStats" });

export const BucketStats = z.object({ KeyN: z.int().describe("Number of items") })
  .meta({ id: "BucketStats" });

/** Bounds that cannot be read count as missing, as existing clients expect. */
export const ItemsQuery = z.object({
  min: z.string().max(64).optional().describe("RFC 3339; default a year ago"),
  max: z.string().max(64).optional().describe("RFC 3339; default now"),
  num: z.string().max(16).optional().describe("1–1000; default 100"),
  order: z.string().max(16).optional().describe("`asc`: oldest first; anything else: newest first"),
  strict: z.string().max(16).optional().describe("Anything: no defaults for `min` and `max`"),
  filter: z.string().max(2000).optional()
    .describe('JSONPath on a list that holds the item, as `$[?(@.type=="user")]`'),
  source: z.string().max(16).optional()
    .describe("`server`: the history server, which also has what was deleted here by size or age"),
});
