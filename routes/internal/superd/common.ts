import * as z from "zod";
import { ComposePath } from "../../../system/plugins/schema.ts";

/** What every route of the supervisor's socket has. */
export const COMMON = { tag: "Supervisor", access: "auth" } as const;
/** What an act on containers may be refused with. */
export const FAULTS = [400, 403, 404, 409, 502, 503] as const;

const ServiceName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, {
  error: "Write the name of a service, such as dns",
}).meta({ examples: ["dns"] });
/** Which containers are meant. */
export const Target = z.object({
  service: ServiceName.optional(),
  compose_file: ComposePath.optional(),
});
