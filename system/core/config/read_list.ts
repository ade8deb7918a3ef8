import type * as z from "zod";
import { isRecord } from "./json.ts";
import { pointer } from "../errors/problem.ts";
import type { Reading, RejectedEntry } from "./document.ts";

/** How the entries of a list in a configuration file are read. */
export interface EntryForm<T> {
  /** The shape of one entry. */
  readonly schema: z.ZodType<T>;
  /** Names of the members that lead to the list in its file; by default the file is the list. */
  readonly at?: readonly string[];
  /** What older files say, as the schema has it. Pure; defaults to the entry itself. */
  readonly prepare?: (entry: unknown) => unknown;
  /** Why a well-formed entry cannot follow those before it; null: it can. */
  readonly fault?: (entry: T, before: readonly T[]) => string | null;
}

/**
 * Reads a list entry by entry: those that cannot be used are rejected, each under its own place in
 * the file, and the message names the field. Never throws.
 */
export function readList<T>(list: readonly unknown[], form: EntryForm<T>): Reading<T[]> {
  const { schema, at = [], prepare = (entry) => entry, fault = () => null } = form;
  const value: T[] = [], rejected: RejectedEntry[] = [];
  for (const [index, raw] of list.entries()) {
    const parsed = schema.safeParse(prepare(raw));
    const message = parsed.success ? fault(parsed.data, value) : issueMessage(parsed.error);
    if (message === null) value.push(parsed.data!);
    else rejected.push({ pointer: pointer([...at, index]), message, raw });
  }
  return { value, rejected };
}

/** The first issue of a value, after the pointer to the field that it is about. */
export function issueMessage({ issues: [issue] }: z.ZodError): string {
  return issue!.path.length === 0 ? issue!.message : `${pointer(issue!.path)}: ${issue!.message}`;
}

/** A record without its members that are `null`, which older files write for what is not set. */
export function withoutNulls(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
export function withoutNulls(raw: unknown): unknown;
export function withoutNulls(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
}
