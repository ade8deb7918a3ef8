import * as z from "zod";
import { Ip, WireguardKey } from "../core/net/grammar.ts";
import { MASK } from "../devices/schema.ts";
import { publicKeyOf } from "../wireguard/keys.ts";

/** Leaf routers of one parent. */
const MAX_LEAVES = 32;
/** Bytes of a certificate text; one with its chain has a few thousand. */
export const MAX_CERTIFICATE_BYTES = 64 * 1024;

/** A certificate as documents show it. */
const PEM_EXAMPLE = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmg\n-----END CERTIFICATE-----\n";

/** An API token, as it stands in a header. */
const ApiToken = z.string().trim()
  .max(512, { error: "Use at most 512 characters" })
  .regex(/^[\x21-\x7e]*$/, { error: "Write the API token without blanks" });

/** Certificates as PEM text; "" for none. */
const Certificate = z.string().max(MAX_CERTIFICATE_BYTES).refine(
  (text) =>
    text === "" || /^-----BEGIN CERTIFICATE-----\s[\s\S]+-----END CERTIFICATE-----\s*$/.test(text),
  { error: "Write a certificate as PEM text" },
).meta({
  pattern: "^(-----BEGIN CERTIFICATE-----\\s[\\s\\S]+-----END CERTIFICATE-----\\s*)?$",
  examples: [PEM_EXAMPLE],
});

/** A key of WireGuard; "" for none. */
const TunnelKey = z.union([WireguardKey, z.literal("")]);

/** How the networks of a parent and a leaf router are connected. */
export const MeshLink = z.object({
  Kind: z.enum(["wireguard", "vxlan"]).describe(
    "`vxlan`: Ethernet frames in UDP between them (RFC 7348), readable on the wire. `wireguard`: the " +
      "same in a WireGuard tunnel",
  ),
  /** Of the leaf at its parent; the same at both ends. */
  Number: z.int().min(1).max(MAX_LEAVES),
}).meta({ id: "MeshLink" });
export type MeshLink = z.output<typeof MeshLink>;

/** A router below this one: its address, its API token, and the certificate that it is trusted by. */
export const LeafRouter = z.object({
  IP: Ip,
  APIToken: ApiToken,
  TLSCA: Certificate,
  /** Null where the networks are not connected. */
  Link: MeshLink.nullable().default(null),
  /** Private key of this router for the tunnel to the leaf, of that link alone. */
  TunnelKey: TunnelKey.default(""),
  /** Public key of the leaf; "" until it has said it. */
  PeerKey: TunnelKey.default(""),
  /** The leaf has replaced its key for this TunnelKey, which it may do once. */
  KeyReplaced: z.boolean().default(false),
  /** It was a router of the existing API when it joined; absent where that is not known. */
  Plain: z.boolean().optional(),
}).meta({ id: "LeafRouter" });
export type LeafRouter = z.output<typeof LeafRouter>;

/** How a leaf reaches its parent. */
export const ParentCredentials = z.object({
  ParentIP: z.union([Ip, z.literal("")]).default(""),
  ParentAPIToken: ApiToken.default(""),
  ParentCA: Certificate.default(""),
  /** Address of this leaf, as the parent knows it; "" where it did not say. */
  LeafIP: z.union([Ip, z.literal("")]).default(""),
  /** Null where clients of this leaf are not on the network of the parent. */
  Link: MeshLink.nullable().default(null),
  /** Private key of this leaf for the tunnel to its parent. */
  TunnelKey: TunnelKey.default(""),
  /** Public key of the parent. */
  PeerKey: TunnelKey.default(""),
});
export type ParentCredentials = z.output<typeof ParentCredentials>;

/** `configs/mesh/mesh.json`. */
export const Mesh = z.object({
  /** This router is a leaf: its parent decides about devices. */
  LeafMode: z.boolean().default(false),
  ParentCredentials: ParentCredentials.default({
    ParentIP: "",
    ParentAPIToken: "",
    ParentCA: "",
    LeafIP: "",
    Link: null,
    TunnelKey: "",
    PeerKey: "",
  }),
  LeafRouters: z.array(LeafRouter).max(MAX_LEAVES, {
    error: `A parent has at most ${MAX_LEAVES} leaf routers`,
  }).default([]),
});
export type Mesh = z.output<typeof Mesh>;

/** No mesh. */
export const NO_MESH: Mesh = Mesh.parse({});

/** What requests name a leaf router by; its certificate is fetched, never sent. */
export const LeafRouterRequest = z.object({
  IP: Ip,
  APIToken: ApiToken.default("").describe(`Of the leaf; ${MASK} or nothing leaves the stored one`),
  TLSCA: z.literal("", { error: "Leave TLSCA empty; the certificate is fetched from the leaf" })
    .default(""),
  Link: z.union([z.enum(["auto", "wireguard", "vxlan", "none"]), MeshLink, z.null()]).default(
    "auto",
  )
    .describe(
      "`wireguard`: clients of the leaf are on the network of this router, by an encrypted link. `vxlan`: " +
        "the same without encryption, for a cable that nobody else can tap. `none`: they are on a network " +
        "of the leaf's own, or where the leaf is a router of the existing API, on that of this router by the cable, " +
        "not encrypted. `auto`: `none` for such a router, `wireguard` for any other. A link as responses show " +
        "it means its kind, and null means `none`, also for a leaf router that had another",
    ),
}).meta({ id: "LeafRouterRequest" });
export type LeafRouterRequest = z.output<typeof LeafRouterRequest>;

/** Mode of a router in a mesh, as it stands in the path. */
export const LeafModeSwitch = z.object({ mode: z.enum(["enable", "disable"]) });

/** What a parent sends to its leaf. */
export const ParentCredentialsRequest = z.object({
  ParentIP: Ip,
  ParentAPIToken: ApiToken.refine((text) => text !== "", { error: "Send the token of the parent" }),
  ParentCA: Certificate.default(""),
  LeafIP: ParentCredentials.shape.LeafIP.describe("Address of the leaf, which its reports name"),
  Link: ParentCredentials.shape.Link.describe(
    "How clients of the leaf come to the network of the parent; null where they do not",
  ),
  PeerKey: TunnelKey.default("").describe(
    "Public key of the parent in the tunnel to this leaf; another one than before makes the leaf draw a " +
      "new key of its own",
  ),
}).meta({ id: "ParentCredentials" });

/** The public keys of an encrypted link, as responses show them. */
const PublicKeys = {
  PublicKey: z.string().describe("Of this router in the tunnel of the link; empty without one"),
  PeerKey: z.string().describe("Of the other router; empty until it is known"),
};

/** A leaf router as responses show it. */
export const LeafRouterAnswer = z.object({
  IP: z.string(),
  APIToken: z.string().describe("** where there is one"),
  TLSCA: z.string(),
  Link: MeshLink.nullable().describe("Null where the networks are not connected"),
  ...PublicKeys,
}).meta({ id: "LeafRouterAnswer" });

/** The mesh as responses show it; the parent's fields stand twice, since clients read either place. */
export const MeshAnswer = z.object({
  LeafMode: z.boolean(),
  ParentIP: z.string(),
  ParentAPIToken: z.string().describe("** where there is one"),
  ParentCA: z.string(),
  ParentCredentials: z.object({
    ParentIP: z.string(),
    ParentAPIToken: z.string(),
    ParentCA: z.string(),
    Link: MeshLink.nullable().describe("Null where clients are not on the network of the parent"),
    ...PublicKeys,
  }),
  LeafRouters: z.array(LeafRouterAnswer),
  Networks: z.array(z.string()).describe("LAN subnets that this router serves itself"),
}).meta({ id: "MeshConfig" });
export type MeshAnswer = z.output<typeof MeshAnswer>;

/**
 * The settings for a response. `vxlan`: the kernel has it; a leaf without it has no link. `networks`: the LAN
 * subnets that it serves.
 */
export function meshAnswer(
  { LeafMode, ParentCredentials, LeafRouters }: Mesh,
  { vxlan, networks }: { readonly vxlan: boolean; readonly networks: readonly string[] },
): MeshAnswer {
  const masked = (secret: string): string => secret === "" ? "" : MASK;
  const { ParentIP, ParentAPIToken, ParentCA, Link } = ParentCredentials;
  const keys = ({ TunnelKey, PeerKey }: Pick<LeafRouter, "TunnelKey" | "PeerKey">) => ({
    PublicKey: publicKeyOf(TunnelKey),
    PeerKey,
  });
  const parent = { ParentIP, ParentAPIToken: masked(ParentAPIToken), ParentCA };
  return {
    LeafMode,
    ...parent,
    ParentCredentials: { ...parent, Link: vxlan ? Link : null, ...keys(ParentCredentials) },
    LeafRouters: LeafRouters.map((leaf) => ({
      ...{ IP: leaf.IP, APIToken: masked(leaf.APIToken), TLSCA: leaf.TLSCA, Link: leaf.Link },
      ...keys(leaf),
    })),
    Networks: [...networks],
  };
}
