import { createHash } from "node:crypto";
import { isRecord } from "../../core/config/json.ts";
import {
  clockAhead,
  isPlain,
  isTrue,
  provenCertificate,
  refusalText,
  type RouterResponse,
  type SendToRouter,
  textOf,
  versionOf,
} from "./leaf_client.ts";
import type { Contact } from "./leaf_state.ts";
import { leafNotReached } from "../joining.ts";
import { LeafKeys, type LeafPeer, type LeafReport, type MeshPlan } from "../plan_schema.ts";

/** What one contact with a leaf gave. */
export interface ContactResult {
  readonly contact: Contact;
  readonly report: Omit<LeafReport, "IP" | "Status" | "Met">;
  /** Digest of the devices that the leaf has now; "" where that is not known. */
  readonly digest: string;
  /** Digest of the settings by which the leaf reaches this router; "" where that is not known. */
  readonly parentDigest: string;
}

/** What a leaf stores about its parent. */
interface ParentAtLeaf {
  readonly parentDigest: string;
  /** It took the link; null where that is not known. */
  readonly linked: boolean | null;
  /** It is a router of the existing API; null where that is not known. */
  readonly plain: boolean | null;
  readonly keys: LeafReport["Keys"];
  /** Why it did not take them, in a sentence; "" where it did. */
  readonly problem: string;
}

/** What {@link contactLeaf} needs. */
export interface ContactOptions {
  readonly send: SendToRouter;
  readonly leaf: LeafPeer;
  readonly plan: Pick<MeshPlan, "devices" | "certificate" | "reportTokens">;
  /** Digest of the devices that it has been sent; "" for none. */
  readonly digest: string;
  /** Digest of those settings as last sent to the leaf; "" for never. */
  readonly parentDigest: string;
  /** True for an error of a router that shows another certificate. */
  readonly isUntrusted: (error: unknown) => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const NOTHING: ContactResult["report"] = {
  ...{ Problem: "", Version: "", ClockAhead: null, Devices: 0, Notices: [], Topology: null },
  Certificate: "",
  ...{ Linked: null, Keys: null, Plain: null },
};

/**
 * Meets a leaf once: sends it the devices where it does not have those of now, tells it a changed certificate
 * of this router or token for its reports, and reads its version, stations and notices. A leaf that shows another certificate is sent
 * nothing unless its token proves the new one. Never throws.
 */
export async function contactLeaf(options: ContactOptions): Promise<ContactResult> {
  const { leaf, isUntrusted } = options;
  try {
    return await meet(options, leaf.TLSCA);
  } catch (error) {
    if (!isUntrusted(error)) return failed("unreachable", leafNotReached(leaf.IP, error));
    try {
      const Certificate = await renewed(options);
      const result = await meet(options, Certificate);
      return { ...result, report: { ...result.report, Certificate } };
    } catch (second) {
      return failed("untrusted", isUntrusted(second) ? error : second);
    }
  }
}

async function renewed({ send, leaf }: ContactOptions): Promise<string> {
  return await provenCertificate(send, { address: leaf.IP, token: leaf.APIToken });
}

async function meet(options: ContactOptions, pin: string): Promise<ContactResult> {
  const { send, leaf, plan, now } = options;
  const call = (method: "GET" | "PUT", path: string, body?: string) =>
    send({
      ...{ address: leaf.IP, token: leaf.APIToken, pin, method, path },
      ...(body === undefined ? {} : { body }),
    });
  const mode = await call("GET", "/plugins/mesh/leafMode");
  const base = { ...NOTHING, ClockAhead: clockAhead(mode, now()) };
  if (mode.status === 401 || mode.status === 403) {
    return {
      contact: { kind: "refused" },
      report: { ...base, Problem: "It refuses the token of this router; give it the current one" },
      ...{ digest: "", parentDigest: "" },
    };
  }
  const Version = versionOf(await call("GET", "/version"));
  if (!isTrue(mode)) {
    return {
      contact: { kind: "answered", leafMode: false, synced: false },
      report: { ...base, Version, Problem: "It is not in leaf mode, so it was sent no devices" },
      ...{ digest: "", parentDigest: "" },
    };
  }
  const { parentDigest, linked, keys, plain, problem } = await refreshParent(call, options);
  const sent = await sync(call, options, plain);
  const topology = await call("GET", "/topology");
  const notices = await call("GET", "/notices");
  return {
    contact: {
      kind: "answered",
      leafMode: true,
      synced: sent.problem === "" && problem === "",
    },
    report: {
      ...base,
      Version,
      ...{ Linked: linked, Keys: keys, Plain: plain },
      Problem: [problem, sent.problem].filter((text) => text !== "").join(". "),
      Devices: sent.problem === "" ? plan.devices.count : 0,
      Notices: notices.status === 200 ? noticesOf(notices) : [],
      Topology: topology.status === 200 ? parsed(topology) : null,
    },
    digest: sent.problem === "" ? plan.devices.digest : "",
    parentDigest,
  };
}

type Call = (method: "GET" | "PUT", path: string, body?: string) => Promise<RouterResponse>;

/**
 * Sends the devices, where the leaf does not have them already. `plain`: every field, as existing routers do;
 * null: it is not known which fields the leaf needs, so that it is sent none.
 */
async function sync(
  call: Call,
  { plan, digest }: ContactOptions,
  plain: boolean | null,
): Promise<{ problem: string }> {
  const { count, body } = plan.devices;
  if (digest === plan.devices.digest) return { problem: "" };
  if (count === 0) {
    return {
      problem: "No device of this router has a Wi-Fi password, so there is nothing to send",
    };
  }
  if (plain === null) {
    return { problem: "It did not show its settings, so it was sent no devices" };
  }
  const response = plain
    ? await call("PUT", "/devices", wholeDevices(body))
    : await call("PUT", `/devices?count=${count}`, body);
  if (response.status === 200) return { problem: "" };
  return { problem: `It did not take the devices: ${refusalText(response)}` };
}

/**
 * Sends a leaf the address and certificate of this router, the token that it reports with, and its link,
 * where one of them has changed. Returns the digest of what it has; the token of its own it shows nobody.
 */
async function refreshParent(
  call: Call,
  { plan: { certificate, reportTokens }, leaf, parentDigest }: ContactOptions,
): Promise<ParentAtLeaf> {
  const reportToken = reportTokens[leaf.IP] ?? "";
  const nothing = { linked: null, keys: null, plain: leaf.Plain ?? null, problem: "" };
  const response = await call("GET", "/plugins/mesh/config");
  const config = response.status === 200 ? parsed(response) : null;
  if (!isRecord(config)) return { parentDigest: "", ...nothing };
  const plain = isPlain(config);
  if (certificate === "" || reportToken === "") return { parentDigest, ...nothing, plain };
  // The address of this router by which it reaches the leaf now, which may have changed.
  const ParentIP = response.localAddress || config["ParentIP"];
  const wanted = JSON.stringify([reportToken, certificate, leaf.Link, leaf.OwnKey, ParentIP]);
  const digest = createHash("sha256").update(wanted).digest("hex");
  // Existing routers may keep the certificate to themselves.
  const isKnown = plain && config["ParentCA"] === undefined || config["ParentCA"] === certificate;
  if (isKnown && parentDigest === digest) {
    return { parentDigest, ...linkOf(config), plain, problem: "" };
  }
  const taken = await call(
    "PUT",
    "/plugins/mesh/setParentCredentials",
    JSON.stringify({
      ParentIP,
      ParentAPIToken: reportToken,
      ParentCA: certificate,
      ...(plain ? {} : { LeafIP: leaf.IP, Link: leaf.Link, PeerKey: leaf.OwnKey }),
    }),
  );
  if (taken.status !== 200) {
    const problem = `It rejected the link to this router: ${refusalText(taken)}`;
    return { parentDigest: "", ...nothing, plain, problem };
  }
  const after = await call("GET", "/plugins/mesh/config");
  return {
    parentDigest: digest,
    ...(after.status === 200 ? linkOf(parsed(after)) : nothing),
    ...{ plain, problem: "" },
  };
}

/** Devices with every field of an existing router, which stores them as they come. */
function wholeDevices(body: string): string {
  const devices = JSON.parse(body) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return JSON.stringify(Object.fromEntries(
    Object.entries(devices).map(([identity, device]) => [identity, {
      ...{ WGPubKey: "", VLANTag: "", RecentIP: "", DNSCustom: "", DeviceTags: [] },
      ...{ DHCPFirstTime: "", DHCPLastTime: "", Style: { Icon: "", Color: "" } },
      ...{ DeviceExpiration: 0, DeleteExpiration: false },
      ...device,
    }]),
  ));
}

/** Whether a leaf took a link, and with which keys: one whose kernel or version has none did not. */
function linkOf(config: unknown): Pick<ParentAtLeaf, "linked" | "keys"> {
  const parent = isRecord(config) ? config["ParentCredentials"] : null;
  if (!isRecord(parent) || !isRecord(parent["Link"])) return { linked: false, keys: null };
  const keys = LeafKeys.safeParse({ Leaf: parent["PublicKey"], Parent: parent["PeerKey"] });
  return { linked: true, keys: keys.success && keys.data.Leaf !== "" ? keys.data : null };
}

function noticesOf(response: RouterResponse): LeafReport["Notices"] {
  const list = parsed(response);
  const items = isRecord(list) && Array.isArray(list["items"]) ? list["items"] : [];
  return items.flatMap((item: unknown) => {
    if (!isRecord(item) || typeof item["detail"] !== "string") return [];
    const Text = item["detail"].slice(0, 1000);
    return [{ Key: noticeKey(item) ?? Text, Text }];
  }).slice(0, 50);
}

/** Tells a notice from others while its text changes, as numbers and times in it do; null where it has no kind. */
function noticeKey({ kind, data }: Readonly<Record<string, unknown>>): string | null {
  if (typeof kind !== "string") return null;
  const subject = isRecord(data) ? String(data["subject"] ?? "") : "";
  return JSON.stringify([kind, subject]).slice(0, 1000);
}

function parsed(response: RouterResponse): unknown {
  try {
    return JSON.parse(textOf(response));
  } catch {
    return null;
  }
}

function failed(kind: "unreachable" | "untrusted", error: unknown): ContactResult {
  const words = error instanceof Error ? error.message : String(error);
  return {
    contact: { kind },
    report: { ...NOTHING, Problem: words.slice(0, 1000) },
    ...{ digest: "", parentDigest: "" },
  };
}
