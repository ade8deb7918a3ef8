import { isRecord } from "../../config/json.ts";
import { namesSecret, type Secrets } from "../journal/secrets.ts";

const DIRECTION = /\p{Bidi_Control}/gu;

/**
 * A stored value without direction marks, which names may not have any more: a file of an earlier
 * version is read without them rather than rejected. Secrets and names of Wi-Fi networks are bytes
 * and stay as they are.
 */
export function withoutDirectionMarks(value: unknown, secrets: Secrets = {}): unknown {
  return clean(value, [], secrets);
}

function clean(value: unknown, path: readonly string[], secrets: Secrets): unknown {
  if (typeof value === "string") return value.replace(DIRECTION, "");
  if (Array.isArray(value)) {
    const elements = value.map((element, at) => clean(element, [...path, String(at)], secrets));
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const at = [...path, name];
    const isBytes = namesSecret(name) || /ssid/i.test(name) || secrets.secret?.(at) === true;
    return [name, isBytes ? member : clean(member, at, secrets)];
  });
  return members.every(([name, member]) => member === value[name])
    ? value
    : Object.fromEntries(members);
}
