import assert from "node:assert/strict";
import * as z from "zod";
import { topicOf } from "../../../system/events/topics/topics.ts";

/** A JSON schema, as far as fields are looked up in one. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

const TEXTS = (names: string) => names.split(" ").map((name) => [name, "string"] as const);
const WHOLE = (names: string) => names.split(" ").map((name) => [name, "integer"] as const);
const FLAGS = (names: string) => names.split(" ").map((name) => [name, "boolean"] as const);
const STATION = TEXTS("Iface MAC Router Status");

/** The fields that existing clients read of each topic, those of objects and lists with a dot. */
const KNOWN: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  "log:api": TEXTS("level msg time func file"),
  "auth:success": TEXTS("type name reason ip username?"),
  "auth:failure": TEXTS("type name reason ip username?"),
  "auth:logout": TEXTS("type name ip"),
  "auth:webauthn:register": TEXTS("username credential ip"),
  "device:vpn:online": TEXTS("VPNType DeviceIP RemoteEndpoint Status"),
  "wifi:auth:fail": [...STATION, ...TEXTS("Type Reason")],
  "wifi:auth:success": [...STATION, ...TEXTS("Event")],
  "wifi:station:disconnect": [...STATION, ...TEXTS("Event")],
  "dhcp:request": TEXTS("MAC Identifier Name Iface ParamReqList VendorClass"),
  "dhcp:response": TEXTS("Identifier IP RouterIP DNSIP LeaseTime"),
  "dhcp:spoof": TEXTS("MAC Identifier Name Iface Reason"),
  "wg:update": TEXTS("IP PublicKey Iface Name"),
  "plugin:download:exists": TEXTS("GitURL"),
  "plugin:download:success": TEXTS("GitURL"),
  "plugin:download:failure": TEXTS("GitURL Reason"),
  "plugin:install:failure": TEXTS("GitURL Reason Name"),
  "plugin:install:status": TEXTS("GitURL Reason Name"),
  "plugin:docker:failure": TEXTS("Reason Message ComposeFile"),
  "system:time:sync": [...TEXTS("ip"), ...WHOLE("status")],
  "firewall:geo_block:refresh": [
    ...FLAGS("Enabled"),
    ...TEXTS("LastRefresh Sources.Type Sources.Key Sources.LastFetch Sources.Error"),
    ...WHOLE("RangesProgrammed Sources.Ranges Sources.ASNs"),
  ],
  "wan:uplink:down": TEXTS("Iface"),
  "wan:uplink:up": TEXTS("Iface"),
  "wan:failover": TEXTS("Iface Action"),
  "wan:speedtest": [
    ...TEXTS("Iface URL Error?"),
    ...WHOLE("Time"),
    ...["DownMbps", "Seconds", "Bytes"].map((name) => [name, "number"] as const),
  ],
  "alert:auth:failure:": TEXTS("Topic RuleId NotificationType? Title? Body? State"),
  "nft:drop:forward": [
    ...TEXTS("Prefix Action Timestamp InDev OutDev RecentDomainSrc? RecentDomainDst?"),
    ...TEXTS("Ethernet?.SrcMAC Ethernet?.DstMAC? IP?.SrcIP IP?.DstIP"),
    ...WHOLE("Ethernet?.HwType IP?.Version IP?.IHL? IP?.TOS IP?.Length IP?.Id? IP?.Flags?"),
    ...WHOLE("IP?.FragOffset? IP?.TTL IP?.Protocol IP?.Checksum?"),
    ...WHOLE("TCP?.SrcPort TCP?.DstPort TCP?.Seq TCP?.Ack TCP?.DataOffset TCP?.Window"),
    ...WHOLE("TCP?.Checksum TCP?.Urgent UDP?.SrcPort UDP?.DstPort UDP?.Length UDP?.Checksum"),
    ...FLAGS("TCP?.FIN TCP?.SYN TCP?.RST TCP?.PSH TCP?.ACK TCP?.URG TCP?.ECE TCP?.CWR TCP?.NS"),
  ],
  "dns:serve:192.168.2.6": [
    ...TEXTS("Type FirstName FirstAnswer Local Remote Timestamp Q.Name A.Hdr.Name"),
    ...WHOLE("Q.Qtype Q.Qclass A.Hdr.Rrtype A.Hdr.Class A.Hdr.Ttl A.Hdr.Rdlength"),
    ["Categories", "array"],
  ],
  "dns:block:event": TEXTS("ClientIP Name"),
  "dns:override:event": TEXTS("ClientIP IP Name"),
  "dns:blockrebind:event": TEXTS("ClientIP BlockedIP Name"),
  "zeroconf:device": [
    ...TEXTS("SrcIP MAC"),
    ...[["Services", "array"], ["TXT", "object"], ["SSDPHeaders", "object"]] as const,
  ],
  "classify:result": [
    ...TEXTS("MAC Vendor Category Model Confidence DBVersion LastUpdated"),
    ...FLAGS("UserCorrection Pinned"),
    ...["Evidence", "SuggestedGroups", "SuggestedPolicies"].map((name) => [name, "array"] as const),
  ],
};

for (const [topic, fields] of Object.entries(KNOWN)) {
  Deno.test(`${topic} has the fields that existing clients read`, () => {
    const schema = z.toJSONSchema(topicOf(topic)!.payload, { unrepresentable: "any" }) as Shape;
    const resolved = (shape: Shape): Shape =>
      shape.$ref === undefined ? shape : schema.$defs![shape.$ref.replace("#/$defs/", "")]!;
    for (const [name, type] of fields) {
      let shape = resolved(schema);
      for (const part of name.split(".")) {
        const field = part.replace("?", "");
        if (shape.type === "array") shape = resolved(shape.items!);
        assert.ok(shape.properties?.[field], `${name} is missing`);
        assert.equal(!shape.required?.includes(field), part.endsWith("?"), `${name}: when`);
        shape = resolved(shape.properties[field]);
      }
      assert.equal(shape.type, type, name);
    }
  });
}
