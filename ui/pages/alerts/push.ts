import { call } from "../../api/client.ts";
import type { PushKey } from "./wire.ts";
import { t } from "../../text/language.ts";

const WORKER = "/admin/push_worker.js";

/** Why this browser cannot be notified; null where it can. */
export function pushFault(): string | null {
  if (!isSecureContext) return t("Browsers take notifications only from a page with HTTPS.");
  return "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis
    ? null
    : t("This browser has no web push. On an iPhone, add the page to the home screen first.");
}

/** What a channel of the kind `push` is made of. */
export interface BrowserSubscription {
  readonly url: string;
  readonly browserKey: string;
  readonly auth: string;
}

/** Asks the person, and subscribes this browser. Throws an Error in words. */
export async function subscribeBrowser(): Promise<BrowserSubscription> {
  if (await Notification.requestPermission() !== "granted") {
    throw new Error(t("The browser was not allowed to show notifications."));
  }
  const { body: { publicKey } } = await call<PushKey>({ path: "/alerts/push" });
  const registration = await navigator.serviceWorker.register(WORKER, { scope: "/admin/" });
  await navigator.serviceWorker.ready;
  const wanted = bytesOf(publicKey);
  const old = await registration.pushManager.getSubscription();
  // One with the key of another router, or of this one before it was set up anew.
  if (old !== null && !isSame(old.options.applicationServerKey, wanted)) await old.unsubscribe();
  const { endpoint, keys } = (await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: wanted,
  })).toJSON();
  return { url: endpoint ?? "", browserKey: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" };
}

/** What this browser may be called in a list. */
export function browserName(agent: string): string {
  const names = [["Edg/", "Edge"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], [
    "Safari/",
    "Safari",
  ]] as const;
  const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"];
  const name = names.find(([mark]) => agent.includes(mark))?.[1] ?? t("Browser");
  const system = systems.find((mark) => agent.includes(mark));
  return system === undefined
    ? name
    : t("{name} on {replace}", { name, replace: system.replace(" OS X", "") });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function isSame(one: ArrayBuffer | null, other: Uint8Array): boolean {
  const bytes = one === null ? [] : [...new Uint8Array(one)];
  return bytes.length === other.length && bytes.every((byte, at) => byte === other[at]);
}
