import * as z from "zod";

/** A small configuration with everything that an engine must cope with. */
export interface ToyConfig {
  readonly devices: Readonly<Record<string, ToyDevice>>;
  readonly rules: readonly ToyRule[];
}

export const ToyDevice = z.object({ Name: z.string(), Open: z.boolean(), Psk: z.string() });
export type ToyDevice = z.output<typeof ToyDevice>;
export const ToyRule = z.object({ Name: z.string(), Port: z.number() });
export type ToyRule = z.output<typeof ToyRule>;
