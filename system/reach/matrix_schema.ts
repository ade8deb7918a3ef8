import * as z from "zod";

/** How much of one end another reaches. `denied`: a rule or the device's own state forbids it. */
export const AccessLevel = z.enum(["everything", "part", "nothing", "denied"]);
export type AccessLevel = z.output<typeof AccessLevel>;

/** Which devices the matrix is about; none: all. */
export const MatrixQuery = z.object({
  ids: z.string().max(50_000).default("").transform((text) =>
    text.split(",").map((id) => id.trim()).filter((id) => id !== "")
  ),
});

/** Parties that every rule treats alike, so that one row and one column serve them all. */
export const MatrixClass = z.object({
  kind: z.enum(["device", "internet", "router"]),
  /** Identities of its devices; empty for the other kinds. */
  members: z.array(z.string()),
  /** Groups and policies that all of its devices have. */
  groups: z.array(z.string()),
  policies: z.array(z.string()),
}).meta({ id: "MatrixClass" });
export type MatrixClass = z.output<typeof MatrixClass>;

/**
 * Who reaches whom. `cells[from][to]` is the place in `answers` of what a member of the class `from`
 * may open to a member of the class `to` (another one where both are the same), -1 where there is no
 * other.
 */
export const ReachMatrix = z.object({
  classes: z.array(MatrixClass),
  answers: z.array(z.object({
    access: AccessLevel,
    /** The words of the rule that decides; of `part`, of the one that opens something. */
    reason: z.string(),
  })),
  cells: z.array(z.array(z.number())),
}).meta({ id: "ReachMatrix" });
export type ReachMatrix = z.output<typeof ReachMatrix>;
