import { z } from "zod";
import { Device, Label } from "../../system/devices/schema.ts";

/** JSON Schemas of what people type into forms; only the build reads this file, never the page. */
const schemas = { deviceName: Device.shape.Name, label: Label };

/** The TypeScript module that the page imports in the place of zod. */
export function formRulesModule(): string {
  const rules = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, ...rule } = z.toJSONSchema(schema, { io: "input" });
      return [name, rule];
    }),
  );
  // As the formatter wants it: a comma after every last member.
  const text = JSON.stringify(rules, null, 2).replace(/([^{[,])(?=\n\s*[}\]])/g, "$1,");
  return "// Made by ui/build.ts from the zod schemas of system/. Do not edit.\n" +
    `export const formRules = ${text} as const;\n`;
}
