import { pageTexts, t } from "../text/language.ts";

/** One error of one field of the request, by JSON pointer. */
export interface ProblemItem {
  readonly pointer: string;
  /** In the language of the page. */
  readonly message: string;
}

/** What a person reads in the place of the API's words for programs. */
const NEEDS_FACTOR = t(
  "This requires your second factor. Set one up under Account and tokens first",
);

/** A problem of the API (RFC 9457), or, with status 0, a router that did not respond. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly errors: readonly ProblemItem[];
  readonly members: Readonly<Record<string, unknown>>;

  /** True when a second factor is required. */
  readonly needsOtp: boolean;

  constructor(status: number, detail: string, members: Readonly<Record<string, unknown>> = {}) {
    const needsOtp = (status === 401 || status === 403) && detail.includes("Invalid JWT");
    super(needsOtp ? NEEDS_FACTOR : messageOf(detail, members));
    this.needsOtp = needsOtp;
    this.name = "ApiProblem";
    this.status = status;
    this.members = members;
    this.errors = readItems(members["errors"]);
  }
}

/** An error as the API sends it: in English, with the parts of its sentence. */
interface SentItem extends ProblemItem {
  readonly sentence?: unknown;
}

function sentItems(value: unknown): readonly SentItem[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) =>
    typeof item?.pointer === "string" && typeof item?.message === "string"
  );
}

function readItems(value: unknown): readonly ProblemItem[] {
  return sentItems(value)
    .map((item) => ({ ...item, message: translated(item.message, item.sentence) }));
}

/** A sentence of the API in the language of the page: its id, or else its text, is the key. */
function translated(text: string, parts: unknown): string {
  const { id = text, values } = (parts ?? {}) as { id?: string; values?: Record<string, string> };
  return t(id, values);
}

/**
 * What a problem says as a whole. A detail that only repeats an error, or sums up the errors of a body,
 * is that of the errors in the language of the page.
 */
function messageOf(
  detail: string,
  { errors, sentence }: Readonly<Record<string, unknown>>,
): string {
  const sent = sentItems(errors);
  const items = readItems(errors);
  const whole = translated(detail, sentence);
  if (items.every(({ message }, at) => message === sent[at]!.message)) return whole;
  const same = sent.findIndex(({ message }) => message === detail);
  if (same >= 0) return items[same]!.message;
  const { pointer, message } = sent[0]!;
  const place = pointer || /^The body/.exec(detail)?.[0];
  const summary = `${place}: ${message}`;
  const more = detail.startsWith(summary)
    ? /^(?: \(and (\d+) more\))?$/.exec(detail.slice(summary.length))
    : null;
  if (more === null) return whole;
  const text = items.map((item) => item.pointer ? `${item.pointer}: ${item.message}` : item.message)
    .join("; ");
  const count = Number(more[1] ?? 0) + 1 - items.length;
  return count > 0 ? t("{text} (and {count} more)", { text, count }) : text;
}

/**
 * Makes a problem of an answer that is not 2xx, whatever its body is. Sentences of the API are among the
 * texts of the pages, which the sign-in does without until something is refused.
 */
export async function problemOf(response: Pick<Response, "status" | "text">): Promise<ApiProblem> {
  const text = await response.text().catch(() => "");
  // Without them it is said in English.
  await pageTexts().catch(() => {});
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const detail = body["detail"] ?? body["title"];
    return new ApiProblem(response.status, typeof detail === "string" ? detail : `${detail}`, body);
  } catch {
    return new ApiProblem(
      response.status,
      text.slice(0, 400) || t("The router answered {status}.", { status: response.status }),
    );
  }
}

/** The message of anything thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The problem of a router that does not respond, where nothing can have changed. */
export function notResponding(): ApiProblem {
  return new ApiProblem(0, t("The router is not responding."));
}

/** The problem of a write whose answer was lost, so that the change may have been made. */
export function lostWrite(): ApiProblem {
  const text = t("The router is not responding. The change may have been made.");
  return new ApiProblem(0, text, { isUnknown: true });
}

/** True for a write whose answer was lost: the router may have made the change. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ApiProblem && error.members["isUnknown"] === true;
}

/**
 * What is said after a failure: `failed` with its cause, or only the cause where it is not known whether
 * the change was made.
 */
export function failureText(error: unknown, failed: (text: string) => string): string {
  return isUnknown(error) ? textOf(error) : failed(textOf(error));
}
