export type AccessLevel = "everything" | "part" | "nothing" | "denied";

/** Parties that every rule treats alike. */
export interface MatrixClass {
  readonly kind: "device" | "internet" | "router";
  readonly members: readonly string[];
  readonly groups: readonly string[];
  readonly policies: readonly string[];
}

/** The answer of `GET /reach/matrix`; a cell is the place of its answer, -1 where there is none. */
export interface ReachMatrix {
  readonly classes: readonly MatrixClass[];
  readonly answers: readonly { readonly access: AccessLevel; readonly reason: string }[];
  readonly cells: readonly (readonly number[])[];
}
