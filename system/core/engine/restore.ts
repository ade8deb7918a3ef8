import type { ConfigFiles, Image } from "./config_files.ts";
import type { Log } from "../log.ts";
import type { NoticeBoard } from "../notice.ts";

/** What is needed to put a file right. */
export interface RestoreOptions<C> {
  readonly files: ConfigFiles<C>;
  readonly notices: NoticeBoard;
  readonly log: Log;
}

/** Writes a document's file from what is in force. */
export async function restore<C, K extends keyof C & string>(
  name: K,
  image: Image<C[K]>,
  options: Pick<RestoreOptions<C>, "files">,
): Promise<void> {
  await options.files.place([await options.files.stage(name, image, "restored")]);
  await options.files.settle();
}

/** Sets a file aside that cannot be used, and says so. */
export async function reject<C>(
  name: keyof C & string,
  reason: string,
  options: RestoreOptions<C>,
): Promise<void> {
  const { path } = options.files.document(name);
  const kept = await options.files.reject(name);
  const detail = `configs/${path} cannot be used: ${reason}. What was last in force stays; ` +
    `the file is kept as ${kept}`;
  options.log.warn("A configuration file cannot be used", { path, reason });
  await options.notices.open("config-rejected", detail, { subject: path });
}
