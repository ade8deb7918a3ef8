// Made by ui/build.ts from the zod schemas of system/. Do not edit.
export const formRules = {
  "deviceName": {
    "type": "string",
    "maxLength": 250,
  },
  "label": {
    "type": "string",
    "minLength": 1,
    "maxLength": 64,
  },
  "policy": {
    "type": "string",
    "enum": [
      "disabled",
      "quarantine",
      "wan",
      "dns",
      "dns:family",
      "lan",
      "lan_upstream",
      "noapi",
      "api",
      "guestonly",
    ],
  },
  "psk": {
    "type": "string",
    "pattern": "^[\\x20-\\x7e]{8,63}$",
  },
  "styleWord": {
    "type": "string",
    "pattern": "^[A-Za-z]{0,32}$",
  },
  "vlanTag": {
    "type": "string",
    "pattern": "^([1-9]\\d{0,3})?$",
  },
  "wireguardKey": {
    "type": "string",
    "pattern": "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$",
  },
} as const;

/** Field rules of forms, by body and field. */
export const formBodies = {
  "ForwardingRules": {
    "Protocol": {
      "required": true,
      "enum": ["tcp", "udp"],
    },
    "SrcIP": {},
    "SrcPort": {
      "required": true,
    },
    "DstIP": {
      "required": true,
    },
    "DstPort": {
      "required": true,
    },
    "From": {
      "maxItems": 64,
    },
    "RuleName": {
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
  },
  "BlockRules": {
    "Protocol": {
      "required": true,
      "enum": ["tcp", "udp"],
    },
    "SrcIP": {
      "required": true,
    },
    "DstIP": {
      "required": true,
    },
    "RuleName": {
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
  },
  "OutputBlockRules": {
    "Protocol": {
      "required": true,
      "enum": ["tcp", "udp"],
    },
    "SrcIP": {
      "required": true,
    },
    "DstIP": {
      "required": true,
    },
    "DstPort": {},
    "RuleName": {
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
  },
  "ForwardingBlockRules": {
    "Protocol": {
      "required": true,
      "enum": ["tcp", "udp"],
    },
    "SrcIP": {
      "required": true,
    },
    "DstIP": {
      "required": true,
    },
    "DstPort": {},
    "RuleName": {
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
  },
  "CustomInterfaceRules": {
    "Interface": {
      "required": true,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$",
    },
    "SrcIP": {
      "required": true,
    },
    "RouteDst": {},
    "Policies": {},
    "Groups": {
      "maxItems": 64,
    },
    "Tags": {
      "maxItems": 64,
    },
    "RuleName": {
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
  },
  "ServicePorts": {
    "Protocol": {
      "required": true,
      "const": "tcp",
    },
    "Port": {
      "required": true,
    },
    "UpstreamEnabled": {},
    "Description": {
      "maxLength": 256,
    },
  },
  "Endpoints": {
    "RuleName": {
      "required": true,
      "maxLength": 128,
    },
    "Description": {
      "maxLength": 256,
    },
    "Disabled": {},
    "Protocol": {
      "required": true,
      "enum": ["tcp", "udp"],
    },
    "IP": {},
    "Domain": {},
    "Port": {
      "required": true,
    },
    "Tags": {
      "maxItems": 64,
    },
  },
  "MulticastPorts": {
    "Port": {
      "required": true,
    },
    "Upstream": {},
  },
  "InterfaceSettings": {
    "Name": {
      "required": true,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$",
    },
    "Type": {
      "enum": ["AP", "Uplink", "Downlink", "Other"],
    },
    "Enabled": {},
    "MACOverride": {},
    "MACRandomize": {},
    "MACCloak": {},
    "IP": {},
    "Router": {},
    "AdditionalIPs": {
      "maxItems": 64,
    },
    "Addressing": {
      "enum": ["dhcp", "static", "pppoe"],
    },
    "Trunk": {},
    "PPPoE": {},
  },
  "LinkUpdate": {
    "Name": {
      "required": true,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$",
    },
    "Type": {
      "enum": ["AP", "Uplink", "Downlink", "Other"],
    },
    "Subtype": {},
    "Enabled": {},
    "MACOverride": {},
    "MACRandomize": {},
    "MACCloak": {},
  },
  "UplinkUpdate": {
    "Name": {
      "required": true,
      "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$",
    },
    "Enabled": {},
    "DisableDHCP": {},
    "IP": {},
    "Router": {},
    "VLAN": {},
    "AdditionalIPs": {
      "maxItems": 64,
    },
  },
  "RadioUpdate": {
    "Ssid": {},
    "Ssid_hex": {
      "pattern": "^([0-9a-f]{2}){0,32}$",
    },
    "Country_code": {},
    "Hw_mode": {
      "enum": ["a", "b", "g", ""],
    },
    "Channel": {},
    "AutoSelectChannel": {},
    "Op_class": {},
    "Ht_capab": {
      "maxLength": 512,
      "pattern": "^(\\[[A-Z0-9][A-Z0-9+_-]*\\])*$",
    },
    "Vht_capab": {
      "maxLength": 512,
      "pattern": "^(\\[[A-Z0-9][A-Z0-9+_-]*\\])*$",
    },
    "Rsn_pairwise": {},
    "Ieee80211ax": {},
    "Ieee80211be": {},
    "He_su_beamformer": {},
    "He_su_beamformee": {},
    "He_mu_beamformer": {},
    "Vht_oper_chwidth": {},
    "He_oper_chwidth": {},
    "Eht_oper_chwidth": {},
    "Vht_oper_centr_freq_seg0_idx": {},
    "He_oper_centr_freq_seg0_idx": {},
    "Eht_oper_centr_freq_seg0_idx": {},
    "Rrm_neighbor_report": {},
    "Rrm_beacon_report": {},
    "Rrm_link_measurement_report": {},
    "Bss_transition": {},
    "Time_advertisement": {},
    "Rssi_reject_assoc_rssi": {},
    "Rssi_reject_assoc_timeout": {},
    "Rssi_ignore_probe_request": {},
    "Mld_ap": {},
    "Mlo_channel": {},
    "Mlo_bandwidth": {},
    "Mlo_hw_mode": {
      "enum": ["", "a", "b", "g"],
    },
    "Mlo_ht_capab": {
      "maxLength": 512,
      "pattern": "^(\\[[A-Z0-9][A-Z0-9+_-]*\\])*$",
    },
    "Mlo_vht_capab": {
      "maxLength": 512,
      "pattern": "^(\\[[A-Z0-9][A-Z0-9+_-]*\\])*$",
    },
  },
  "ExtraBssRequest": {
    "Ssid": {
      "required": true,
    },
    "Bssid": {},
    "Wpa": {
      "enum": ["0", "1", "2"],
    },
    "WpaKeyMgmt": {},
    "DisableIsolation": {},
    "GuestPassword": {},
  },
  "GuestRequest": {
    "Name": {
      "required": true,
    },
    "Passwords": {
      "enum": ["shared", "guest"],
    },
    "Password": {},
    "Until": {},
    "Radios": {
      "maxItems": 64,
    },
  },
  "ReachTest": {
    "Name": {
      "required": true,
      "maxLength": 128,
    },
    "From": {
      "required": true,
    },
    "To": {
      "required": true,
    },
    "Protocol": {
      "enum": ["tcp", "udp", "icmp"],
    },
    "Port": {},
    "Expect": {
      "required": true,
      "enum": ["accept", "drop"],
    },
  },
  "SubnetConfig": {
    "TinyNets": {
      "required": true,
      "maxItems": 64,
    },
    "LeaseTime": {
      "required": true,
      "pattern": "^\\d{1,2}h\\d{1,2}m\\d{1,2}s$",
    },
    "NTPServers": {},
  },
  "MulticastAddress": {
    "Address": {
      "required": true,
    },
    "Disabled": {},
    "Tags": {
      "maxItems": 64,
    },
    "Description": {
      "maxLength": 200,
    },
  },
  "MulticastSettings": {
    "Disabled": {},
    "Addresses": {
      "maxItems": 64,
    },
    "DisableMDNSAdvertise": {},
    "MDNSName": {
      "pattern": "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$",
    },
  },
} as const;
