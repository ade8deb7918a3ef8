import type { Secrets } from "./settings.ts";

/** What a process receives from the launcher through its standard input. */
export interface Attachment {
  readonly secrets: Secrets;
  /** Resolves when the launcher is gone: the other end of the input closed. */
  readonly gone: Promise<void>;
}

/** The first line that the launcher writes to a child. A pipe, since an environment can be read by others. */
export function attachmentLine(secrets: Secrets | null): Uint8Array<ArrayBuffer> {
  const line: Secrets = secrets ?? { adminPassword: null, databaseToken: null };
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}

/** Reads that line and keeps watching the input. Throws when it closes or holds anything else. */
export async function attach(input: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Attachment> {
  const reader = input.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The launcher closed the standard input before it sent the secrets");
    text += value;
  }
  const { adminPassword, databaseToken } = JSON.parse(text) as Secrets;
  return { secrets: { adminPassword, databaseToken }, gone: drain(reader) };
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}
