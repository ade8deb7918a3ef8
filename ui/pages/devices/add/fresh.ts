import type { NewDevice } from "./acts.ts";

/** A device as most are: it may use the Internet, and not administer the router. */
export const FRESH: NewDevice = { name: "", access: "internet", admin: false, groups: "" };
