// Made by ui/build.ts from system/firewall/rule_kinds.ts. Do not edit.
export const ruleKinds = {
  "ForwardingRules": {
    "path": "forward",
    "noun": "port forward",
    "content": "{Protocol} {SrcIP} {SrcPort} to {DstIP} {DstPort}[ from {From}]",
  },
  "BlockRules": {
    "path": "block",
    "noun": "block",
    "content": "{Protocol} {SrcIP} to {DstIP}",
  },
  "OutputBlockRules": {
    "path": "block_output",
    "noun": "output block",
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "ForwardingBlockRules": {
    "path": "block_forward",
    "noun": "forward block",
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "CustomInterfaceRules": {
    "path": "custom_interface",
    "noun": "rule for an interface",
    "content": "{Interface} {SrcIP} via {RouteDst} policies {Policies} groups {Groups} tags {Tags}",
  },
  "ServicePorts": {
    "path": "service_port",
    "noun": "router port",
    "content": "{Protocol} {Port}",
  },
  "Endpoints": {
    "path": "endpoint",
    "noun": "endpoint",
    "content": "{RuleName}",
  },
  "MulticastPorts": {
    "path": "multicast",
    "noun": "multicast port",
    "content": "{Port}",
  },
} as const;
