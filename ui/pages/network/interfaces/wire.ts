import type { components } from "../../../generated/api.ts";

type Schemas = components["schemas"];

/** A configured interface; the entry is open to others, so its fields are picked by name. */
export type Link =
  & Pick<
    Schemas["InterfaceEntry"],
    "Name" | "Subtype" | "Enabled" | "MACOverride" | "MACRandomize" | "MACCloak" | "AdditionalIPs"
  >
  & {
    /** Any word: a form holds what is chosen in it. */
    readonly Type: string;
  };

/** A PPPoE account; its password is never shown. */
export type Account = Schemas["PppEntry"];
