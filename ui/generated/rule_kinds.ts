// Made by ui/build.ts from system/firewall/rule_kinds.ts. Do not edit.
import { t } from "../text/language.ts";

export const ruleKinds = {
  "ForwardingRules": {
    "path": "forward",
    "noun": t("port forward"),
    "content": "{Protocol} {SrcIP} {SrcPort} to {DstIP} {DstPort}[ from {From}]",
  },
  "BlockRules": {
    "path": "block",
    "noun": t("block"),
    "content": "{Protocol} {SrcIP} to {DstIP}",
  },
  "OutputBlockRules": {
    "path": "block_output",
    "noun": t("output block"),
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "ForwardingBlockRules": {
    "path": "block_forward",
    "noun": t("forward block"),
    "content": "{Protocol} {SrcIP} to {DstIP} {DstPort}",
  },
  "CustomInterfaceRules": {
    "path": "custom_interface",
    "noun": t("rule for an interface"),
    "content": "{Interface} {SrcIP} via {RouteDst} policies {Policies} groups {Groups} tags {Tags}",
  },
  "ServicePorts": {
    "path": "service_port",
    "noun": t("router port"),
    "content": "{Protocol} {Port}",
  },
  "Endpoints": {
    "path": "endpoint",
    "noun": t("endpoint"),
    "content": "{RuleName}",
  },
  "MulticastPorts": {
    "path": "multicast",
    "noun": t("multicast port"),
    "content": "{Port}",
  },
} as const;
