import * as z from "zod";
import { WireguardKey } from "../../system/core/net/grammar.ts";
import { Device, Label, Psk, Style, VlanTag } from "../../system/devices/schema.ts";
import { POLICY_NAMES } from "../../system/devices/policies.ts";
import { SubnetConfig } from "../../system/dhcp/schema.ts";
import { byList, RULE_KINDS, type RuleList } from "../../system/firewall/rule_kinds.ts";
import { MulticastAddress, MulticastSettings } from "../../system/multicast/schema.ts";
import { InterfaceSettings } from "../../system/network/interfaces/settings_schema.ts";
import { LinkUpdate, UplinkUpdate } from "../../system/network/interfaces/update_schema.ts";
import { ExtraBssRequest } from "../../system/wifi/extra_bss_schema.ts";
import { GuestRequest } from "../../system/wifi/guests/schema.ts";
import { RadioUpdate } from "../../system/wifi/radio/update_schema.ts";
import { ReachTest } from "../../system/reach/schema.ts";

/** JSON Schemas of what people type into forms; only the build reads this file, never the page. */
const schemas = {
  deviceName: Device.shape.Name,
  label: Label,
  policy: z.enum(POLICY_NAMES),
  psk: Psk,
  styleWord: Style.shape.Icon,
  vlanTag: VlanTag,
  wireguardKey: WireguardKey,
};

/** Bodies whose forms have several fields. */
const bodies = {
  ...byList<{ readonly [L in RuleList]: z.ZodType }>((list) => RULE_KINDS[list].shape),
  InterfaceSettings,
  LinkUpdate,
  UplinkUpdate,
  RadioUpdate,
  ExtraBssRequest,
  GuestRequest,
  ReachTest,
  SubnetConfig,
  MulticastAddress,
  MulticastSettings,
};

/** What a form can check by itself; the rest is for the API to say. */
const CHECKED = ["enum", "const", "minLength", "maxLength", "maxItems", "pattern"] as const;

type Schema = Readonly<Record<string, unknown>>;

function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...rule } = z.toJSONSchema(schema, { io: "input", metadata: z.registry() });
  return rule;
}

function fieldRules(schema: z.ZodType): Schema {
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, rule]) => [name, {
      ...(required.includes(name) ? { required: true } : {}),
      ...Object.fromEntries(CHECKED.filter((key) => key in rule).map((key) => [key, rule[key]])),
    }]),
  );
}

/** A value as the formatter writes it: a comma after every last member, short lists in one line. */
export function source(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(
      /\[\n\s*([^[\]{}]{1,60}?)\n\s*\]/g,
      (_, items: string) => `[${items.replace(/,\n\s*/g, ", ")}]`,
    )
    .replace(/([^{[,])(?=\n\s*[}\]])/g, "$1,");
}

/** The TypeScript module that the page imports in the place of zod. */
export function formRulesModule(): string {
  const single = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, jsonSchema(schema)]),
  );
  const forms = Object.fromEntries(
    Object.entries(bodies).map(([name, schema]) => [name, fieldRules(schema as z.ZodType)]),
  );
  return "// Made by ui/build.ts from the zod schemas of system/. Do not edit.\n" +
    `export const formRules = ${source(single)} as const;\n\n` +
    `/** Field rules of forms, by body and field. */\nexport const formBodies = ${
      source(forms)
    } as const;\n`;
}
