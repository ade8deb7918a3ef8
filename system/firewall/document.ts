import type { Aside, Document, Reading } from "../core/document.ts";
import { pointer, Problem } from "../core/problem.ts";
import { DEFAULT_FIREWALL, Firewall, ServicePort } from "./schema.ts";

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

function read(raw: unknown): Reading<Firewall> {
  if (!isObject(raw)) throw new Problem(400, "The firewall file must hold one JSON object");
  const aside: Aside[] = [];
  const keepAside = (path: readonly PropertyKey[], message: string, value: unknown): void => {
    aside.push({ pointer: pointer(path), message, raw: value });
  };
  const flag = (name: "PingLan" | "PingWan"): boolean => {
    const value = raw[name];
    if (typeof value === "boolean") return value;
    if (value !== undefined && value !== null) keepAside([name], "Write true or false", value);
    return DEFAULT_FIREWALL[name];
  };
  let ports = DEFAULT_FIREWALL.ServicePorts;
  const listed = raw["ServicePorts"];
  if (Array.isArray(listed)) {
    ports = listed.flatMap((entry: unknown, i) => {
      const parsed = ServicePort.safeParse(entry);
      if (parsed.success) return [parsed.data];
      keepAside(["ServicePorts", i], parsed.error.issues[0]?.message ?? "Not a port", entry);
      return [];
    });
  } else if (listed !== undefined && listed !== null) {
    keepAside(["ServicePorts"], "Write a list of service ports", listed);
  }
  const value = {
    ...raw,
    ServicePorts: ports,
    PingLan: flag("PingLan"),
    PingWan: flag("PingWan"),
  };
  return { value, aside };
}

/** What the router's own ports and pings are open to. */
export const firewallDocument: Document<Firewall> = {
  path: "base/firewall.json",
  topic: "rules",
  schema: Firewall,
  fallback: DEFAULT_FIREWALL,
  read,
  keyOf: (element) => {
    const port = ServicePort.safeParse(element);
    return port.success ? `${port.data.Protocol} ${port.data.Port}` : JSON.stringify(element);
  },
};
