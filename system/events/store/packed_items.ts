import type { Answers, PackedAnswer, Request } from "./messages.ts";

/** An answer for the way to the main thread. */
export function packed(type: Request["type"], value: Answers[Request["type"]]): PackedAnswer {
  if (value === null) return { kind: "plain", value };
  if (type === "entries") return { kind: type, texts: textsOf(value as Answers["entries"]) };
  if (type === "items") {
    const { items, ...rest } = value as NonNullable<Answers["items"]>;
    return { kind: type, texts: textsOf(items), rest };
  }
  return { kind: "plain", value };
}

/** What was {@link packed}, in small steps. */
export function* unpackSteps(answer: PackedAnswer): Generator<void, unknown> {
  if (answer.kind === "plain") return answer.value;
  const items: unknown[] = [];
  for (const text of answer.texts) {
    items.push(JSON.parse(text));
    yield;
  }
  return answer.kind === "entries" ? items : { items, ...answer.rest };
}

function textsOf(items: readonly unknown[] | null): readonly string[] {
  return (items ?? []).map((item) => JSON.stringify(item));
}
