import { call } from "./client.ts";

/** Fetches a file, with a second factor where it is needed, and has the browser keep it. */
export async function download(path: string, name: string): Promise<void> {
  const { body } = await call<Blob>({ path, file: true });
  save(body, name);
}

/** Has the browser keep a file. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
