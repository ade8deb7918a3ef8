import * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { issueMessage } from "../core/config/read_list.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { isRecord } from "../core/config/json.ts";
import { InterfaceName } from "../core/net/grammar.ts";
import { RadioSettings } from "./radio/settings_schema.ts";

/** Settings of radios by interface. */
export type Radios = Readonly<Record<string, RadioSettings>>;

/** Settings of the radios (`configs/wifi/radios.json`); which of them are on, `interfaces` says. */
export const radiosDocument: Document<Radios> = {
  path: "wifi/radios.json",
  topic: "radios",
  schema: z.record(InterfaceName, RadioSettings),
  fallback: {},
  read: readRadios,
};

function readRadios(raw: unknown): Reading<Radios> {
  if (!isRecord(raw)) throw new Problem(400, "The radios are an object: interface to settings");
  const rejected: RejectedEntry[] = [];
  const value: Record<string, RadioSettings> = {};
  for (const [name, entry] of Object.entries(raw)) {
    const settings = RadioSettings.safeParse(entry);
    if (settings.success && InterfaceName.safeParse(name).success) value[name] = settings.data;
    else {
      const message = settings.success
        ? "This is no name of an interface"
        : issueMessage(settings.error);
      rejected.push({ pointer: pointer([name]), message, raw: entry });
    }
  }
  return { value, rejected };
}
