import { call } from "./client.ts";

/** Fetches a file, with a second factor where it is needed, and has the browser keep it. */
export async function download(path: string, name: string): Promise<void> {
  const { body } = await call<Blob>({ path, file: true });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(body);
  link.download = name;
  link.click();
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
