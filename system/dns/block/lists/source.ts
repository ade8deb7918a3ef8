import { parseAddress } from "../../../core/net/net.ts";
import { rebinds } from "../verdict/rebinding.ts";

/** Longest URI of a list. */
const LONGEST = 2048;
/** A list that was uploaded here, by the name that people gave it. */
const UPLOAD = /^upload:[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/;

/** True for the URI of a list that was uploaded here. */
export function isUpload(uri: string): boolean {
  return UPLOAD.test(uri);
}

/** What is wrong with the URI of a list, in a sentence for people; null when nothing is. */
export function sourceFault(uri: string): string | null {
  if (uri.length > LONGEST) return `Use at most ${LONGEST} characters`;
  if (uri.startsWith("upload:")) {
    return isUpload(uri)
      ? null
      : "Name an uploaded list by at most 63 letters, digits, blanks, dots and hyphens";
  }
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(uri) || !URL.canParse(uri)) {
    return "Write an address such as https://lists.example.com/hosts";
  }
  const url = new URL(uri);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "A list is fetched with https or http, or uploaded; nothing else is read";
  }
  if (url.username !== "" || url.password !== "") {
    return "Leave out user name and password: everyone who may see the lists would read them";
  }
  const address = literalAddress(url);
  return address !== null && rebinds(address)
    ? "This address is not on the Internet; lists of your own can be uploaded"
    : null;
}

/** The address that stands in the URL itself; null when it names a host. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return parseAddress(bare) === null ? null : bare;
}
