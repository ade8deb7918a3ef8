import { t } from "../text/language.ts";

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

function readItems(value: unknown): readonly ProblemItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) =>
    typeof item?.pointer === "string" && typeof item?.message === "string"
      ? [{ ...item, message: translated(item.message, item.sentence) }]
      : []
  );
}

/** A sentence of the API in the language of the page: its id, or else its text, is the key. */
function translated(text: string, parts: unknown): string {
  const { id = text, values } = (parts ?? {}) as { id?: string; values?: Record<string, string> };
  return t(id, values);
}

/** What a problem says as a whole. That of a body names places in English, which its errors have too. */
function messageOf(
  detail: string,
  { errors, sentence }: Readonly<Record<string, unknown>>,
): string {
  const items = readItems(errors);
  return items.some(({ message }, at) => message !== (errors as typeof items)[at]?.message)
    ? items.map(({ message }) => message).join(" ")
    : translated(detail, sentence);
}

/** Makes a problem of an answer that is not 2xx, whatever its body is. */
export async function problemOf(response: Pick<Response, "status" | "text">): Promise<ApiProblem> {
  const text = await response.text().catch(() => "");
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
