import { isRecord } from "../../config/json.ts";
import { atOnce } from "../../time/slices.ts";
import { namesSecret, type Secrets } from "../journal/secrets.ts";

const DIRECTION = /\p{Bidi_Control}/gu;

/**
 * A stored value without direction marks, which names may not have any more: a file of an earlier
 * version is read without them rather than rejected. Secrets and names of Wi-Fi networks are bytes
 * and stay as they are.
 */
export function withoutDirectionMarks(value: unknown, secrets: Secrets = {}): unknown {
  return atOnce(withoutMarksSteps(value, secrets));
}

/** {@link withoutDirectionMarks} in small steps. */
export function* withoutMarksSteps(
  value: unknown,
  secrets: Secrets = {},
): Generator<void, unknown> {
  return yield* clean(value, [], secrets);
}

function* clean(
  value: unknown,
  path: readonly string[],
  secrets: Secrets,
): Generator<void, unknown> {
  if (typeof value === "string") return value.replace(DIRECTION, "");
  if (Array.isArray(value)) {
    const elements: unknown[] = [];
    for (const [at, element] of value.entries()) {
      elements.push(
        typeof element === "string"
          ? element.replace(DIRECTION, "")
          : yield* clean(element, [...path, String(at)], secrets),
      );
    }
    return elements.every((element, at) => element === value[at]) ? value : elements;
  }
  if (!isRecord(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    const isBytes = namesSecret(name) || /ssid/i.test(name) || secrets.secret?.(at) === true;
    members.push([name, isBytes ? member : yield* clean(member, at, secrets)]);
  }
  yield;
  return members.every(([name, member]) => member === value[name])
    ? value
    : Object.fromEntries(members);
}
