import * as z from "zod";

/** A Debian package that processes need, and whether it is there. */
export const NeededPackage = z.object({
  name: z.string(),
  /** Null: this is no Debian system, so that nobody knows. */
  installed: z.boolean().nullable(),
  /** The processes that need it, each with what for. */
  neededBy: z.array(z.object({ process: z.string(), why: z.string() })),
}).meta({ id: "NeededPackage" });
export type NeededPackage = z.infer<typeof NeededPackage>;

/** The Debian packages that this router needs to apply its network. */
export const PackageList = z.object({
  /** Empty in demo mode, which needs none. */
  items: z.array(NeededPackage),
  /** True: what is missing is installed when the network is first applied. False: by nobody but you. */
  installs: z.boolean(),
  /** True while they are being installed. */
  installing: z.boolean(),
}).meta({ id: "PackageList" });
export type PackageList = z.infer<typeof PackageList>;
