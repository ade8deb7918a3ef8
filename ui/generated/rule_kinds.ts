// Made by ui/build.ts from system/firewall/rule_kinds.ts. Do not edit.
export const ruleKinds = {
  "ForwardingRules": {
    "path": "forward",
    "content": "{Protocol} {SrcIP} {SrcPort} to {DstIP} {DstPort}[ from {From}]",
  },
  "BlockRules": {
    "path": "block",
    "content": "{Protocol} {SrcIP} to {DstIP}",
  },
  "OutputBlockRules": {
    "path": "block_output",
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "ForwardingBlockRules": {
    "path": "block_forward",
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "CustomInterfaceRules": {
    "path": "custom_interface",
    "content": "{Interface} {SrcIP} via {RouteDst} policies {Policies} groups {Groups} tags {Tags}",
  },
  "ServicePorts": {
    "path": "service_port",
    "content": "{Protocol} {Port}",
  },
  "Endpoints": {
    "path": "endpoint",
    "content": "{RuleName}",
  },
  "MulticastPorts": {
    "path": "multicast",
    "content": "{Port}",
  },
} as const;
