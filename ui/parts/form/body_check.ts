import { ApiProblem, type ProblemItem } from "../../api/problem.ts";
import { t } from "../../text/language.ts";

/** What a form can say of one field by itself (JSON Schema, 2020-12). */
export interface FieldRule {
  readonly required?: boolean;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** Rules of a form by the field's name in the body. */
export type BodyRules = Readonly<Record<string, FieldRule>>;

function problemOf(rule: FieldRule, value: unknown): string | null {
  if (Array.isArray(value)) {
    const most = rule.maxItems;
    return most !== undefined && value.length > most
      ? t("Use at most {most} entries", { most })
      : null;
  }
  if (typeof value !== "string") return null;
  if (value.trim() === "") return rule.required ? t("This field is required") : null;
  if (rule.enum !== undefined && !rule.enum.includes(value)) {
    return t("Choose one of {enum}", { enum: rule.enum.join(", ") });
  }
  if (rule.maxLength !== undefined && value.length > rule.maxLength) {
    return t("Use at most {maxLength} characters", { maxLength: rule.maxLength });
  }
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, "u").test(value)) {
    return t("Invalid characters or length");
  }
  return null;
}

/** What is wrong with a body before it is sent, each at its field. */
export function checkBody(
  rules: BodyRules,
  body: Readonly<Record<string, unknown>>,
): readonly ProblemItem[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const message = problemOf(rule, body[name] ?? "");
    return message === null ? [] : [{ pointer: `/${name}`, message }];
  });
}

function isAt(pointer: string, name: string): boolean {
  return pointer === `/${name}` || pointer.startsWith(`/${name}/`);
}

/** What is left of a problem once a field is edited; null when that was all. */
export function without(problem: ApiProblem | null, name: string): ApiProblem | null {
  if (problem === null || problem.errors.length === 0) return problem;
  const errors = problem.errors.filter(({ pointer }) => !isAt(pointer, name));
  if (errors.length === 0) return null;
  return new ApiProblem(problem.status, problem.message, { ...problem.members, errors });
}

/** The message of a problem for a field or for an entry of its list; null for other fields. */
export function fieldMessage(problem: ApiProblem | null, name: string): string | null {
  return problem?.errors.find(({ pointer }) => isAt(pointer, name))?.message ?? null;
}

/** What a problem says beside the fields of a form; null when all of it stands at a field. */
export function formMessage(problem: ApiProblem | null, names: readonly string[]): string | null {
  if (problem === null) return null;
  const others = problem.errors.filter(({ pointer }) => !names.some((name) => isAt(pointer, name)));
  if (others.length > 0) return others.map(({ message }) => message).join("; ");
  return problem.errors.length > 0 ? null : problem.message;
}
