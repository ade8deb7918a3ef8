import type { Names } from "./access/names_document.ts";
import type { LimitedUsers, Users } from "./access/schema.ts";
import type { Device } from "./devices/schema.ts";
import type { Group } from "./devices/groups/group_schema.ts";
import type { Theme, Updates } from "./machine/schema.ts";
import type { Admissions } from "./dhcp/admission/admission_schema.ts";
import type { SubnetConfig } from "./dhcp/schema.ts";
import type { BlockConfig } from "./dns/block/schema.ts";
import type { DnsSettings, HostMapping } from "./dns/config/schema.ts";
import type { LogConfig } from "./dns/log/schema.ts";
import type { AlertChannel } from "./alerts/channels/schema.ts";
import type { AlertRule } from "./alerts/schema.ts";
import type { EventStoreSettings } from "./events/settings_schema.ts";
import type { Dyndns } from "./dyndns/schema.ts";
import type { PacketLogSettings } from "./firewall/packet_log/schema.ts";
import type { Firewall } from "./firewall/schema.ts";
import type { GeoBlockConfig } from "./geo/schema.ts";
import type { Mesh } from "./mesh/schema.ts";
import type { MulticastSettings } from "./multicast/schema.ts";
import type { Interface } from "./network/interfaces/schema.ts";
import type { ApiFile } from "./plugins/schema.ts";
import type { InsightsSettings } from "./traffic/schema.ts";
import type { PppEntry, UplinkSettings } from "./uplink/schema.ts";
import type { Radios } from "./wifi/document.ts";
import type { GuestNetwork } from "./wifi/guests/schema.ts";
import type { WpaInterface } from "./wifi/supplicant/schema.ts";
import type { RoamingConfig } from "./wifi/roaming/schema.ts";
import type { ReachTest } from "./reach/schema.ts";
import type { Wireguard } from "./wireguard/schema.ts";

/** Everything people decided: one immutable value, one part per document. */
export interface Config {
  readonly devices: Readonly<Record<string, Device>>;
  readonly groups: readonly Group[];
  readonly dhcp: SubnetConfig;
  /** Links that are open to unknown devices for a while. */
  readonly admissions: Admissions;
  readonly interfaces: readonly Interface[];
  readonly radios: Radios;
  /** Client steering between the radios. */
  readonly roaming: RoamingConfig;
  /** Which additional networks are for guests. */
  readonly guests: GuestNetwork;
  readonly ppp: readonly PppEntry[];
  /** Networks that uplinks join by Wi-Fi. */
  readonly wpa: readonly WpaInterface[];
  readonly wan: UplinkSettings;
  readonly firewall: Firewall;
  /** Which packets are reported as events. */
  readonly packetLog: PacketLogSettings;
  /** The admins. */
  readonly users: Users;
  /** Users with a smaller role. */
  readonly limitedUsers: LimitedUsers;
  readonly names: Names;
  /** What the router is called; "" takes the machine's own name. */
  readonly hostName: string;
  readonly updates: Updates;
  readonly themes: readonly Theme[];
  readonly geoBlock: GeoBlockConfig;
  readonly multicast: MulticastSettings;
  readonly dns: DnsSettings;
  readonly hostnames: readonly HostMapping[];
  readonly dnsBlock: BlockConfig;
  readonly dnsLog: LogConfig;
  readonly reachTests: readonly ReachTest[];
  readonly wireguard: Wireguard;
  readonly dyndns: Dyndns;
  /** The routers that form one network with this one. */
  readonly mesh: Mesh;
  readonly alerts: readonly AlertRule[];
  /** Where alerts are sent to. */
  readonly alertChannels: readonly AlertChannel[];
  /** What the event store keeps. */
  readonly eventStore: EventStoreSettings;
  /** Whether traffic is kept by destination, and for how long. */
  readonly insights: InsightsSettings;
  /** Plugins, beside settings of existing routers. */
  readonly plugins: ApiFile;
  /** Compose files that plugins may name. */
  readonly composePaths: readonly string[];
}
