import "./core/errors/issue_text.ts";
import { limitedUsersDocument, usersDocument } from "./access/document.ts";
import { namesDocument } from "./access/names_document.ts";
import { hostNameDocument, themesDocument, updatesDocument } from "./machine/documents.ts";
import type { Config } from "./config.ts";
import type { Documents } from "./core/config/document.ts";
import { devicesDocument } from "./devices/document.ts";
import { groupsDocument } from "./devices/groups/group_document.ts";
import { admissionsDocument } from "./dhcp/admission/admission_document.ts";
import { dhcpDocument } from "./dhcp/document.ts";
import { blockDocument } from "./dns/block/document.ts";
import { dnsDocument } from "./dns/config/document.ts";
import { hostnamesDocument } from "./dns/local/hostname_document.ts";
import { dnsLogDocument } from "./dns/log/document.ts";
import { dyndnsDocument } from "./dyndns/document.ts";
import { channelsDocument } from "./alerts/channels/document.ts";
import { alertsDocument } from "./alerts/document.ts";
import { eventStoreDocument } from "./events/document.ts";
import { firewallDocument } from "./firewall/document.ts";
import { packetLogDocument } from "./firewall/packet_log/document.ts";
import { geoBlockDocument } from "./geo/document.ts";
import { meshDocument } from "./mesh/document.ts";
import { multicastDocument } from "./multicast/document.ts";
import { interfacesDocument } from "./network/interfaces/document.ts";
import { composePathsDocument, pluginsDocument } from "./plugins/document.ts";
import { reachTestsDocument } from "./reach/document.ts";
import { radiosDocument } from "./wifi/document.ts";
import { roamingDocument } from "./wifi/roaming/document.ts";
import { guestsDocument } from "./wifi/guests/document.ts";
import { wpaDocument } from "./wifi/supplicant/document.ts";
import { insightsDocument } from "./traffic/document.ts";
import { pppDocument } from "./uplink/ppp/ppp_document.ts";
import { uplinkSettingsDocument } from "./uplink/settings_document.ts";
import { wireguardDocument } from "./wireguard/document.ts";

/** The files of the configuration: where each part of {@link Config} lives. */
export const documents: Documents<Config> = {
  devices: devicesDocument,
  groups: groupsDocument,
  dhcp: dhcpDocument,
  admissions: admissionsDocument,
  interfaces: interfacesDocument,
  radios: radiosDocument,
  roaming: roamingDocument,
  guests: guestsDocument,
  ppp: pppDocument,
  wpa: wpaDocument,
  wan: uplinkSettingsDocument,
  firewall: firewallDocument,
  packetLog: packetLogDocument,
  users: usersDocument,
  limitedUsers: limitedUsersDocument,
  names: namesDocument,
  hostName: hostNameDocument,
  updates: updatesDocument,
  themes: themesDocument,
  geoBlock: geoBlockDocument,
  multicast: multicastDocument,
  dns: dnsDocument,
  hostnames: hostnamesDocument,
  dnsBlock: blockDocument,
  dnsLog: dnsLogDocument,
  reachTests: reachTestsDocument,
  wireguard: wireguardDocument,
  dyndns: dyndnsDocument,
  mesh: meshDocument,
  alerts: alertsDocument,
  alertChannels: channelsDocument,
  eventStore: eventStoreDocument,
  insights: insightsDocument,
  plugins: pluginsDocument,
  composePaths: composePathsDocument,
};
