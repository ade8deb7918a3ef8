import type { ConfigFiles, Image } from "./config_files.ts";
import type { Log } from "../../log/log.ts";
import type { NoticeBoard } from "../../events/notice.ts";
import { Problem } from "../../errors/problem.ts";
import { errorText } from "../../errors/error_text.ts";

/** What is needed to put a file right. */
export interface RestoreOptions<C> {
  readonly files: ConfigFiles<C>;
  readonly notices: NoticeBoard;
  readonly log: Log;
}

/** Writes a document's file from the active configuration. Throws Problem 500 where that cannot be. */
export async function restore<C, K extends keyof C & string>(
  name: K,
  image: Image<C[K]>,
  options: Pick<RestoreOptions<C>, "files">,
): Promise<void> {
  const { files } = options;
  try {
    await files.place([await files.stage(name, image, "restored")]);
    await files.settle();
  } catch (error) {
    const { path } = files.document(name);
    throw new Problem(500, `configs/${path} could not be written: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** Renames a file that cannot be used, and says so. */
export async function reject<C>(
  name: keyof C & string,
  reason: string,
  options: RestoreOptions<C>,
): Promise<void> {
  const { path } = options.files.document(name);
  const kept = await options.files.reject(name);
  const detail = `configs/${path} cannot be used: ${reason}. The active configuration stays; ` +
    `the file is kept as ${kept}`;
  options.log.warn("engine.file_unusable", "A configuration file cannot be used", { path, reason });
  await options.notices.open("config-rejected", detail, { subject: path });
}

/** Why a file is not taken in that holds nothing of its document. */
export const FOREIGN_FILE = "It has none of the entries of this file";

/** Says that something lies in a document's place that cannot be read, and what to do about it. */
export async function reportUnreadable<C>(
  name: keyof C & string,
  reason: string,
  { files, log, notices }: RestoreOptions<C>,
): Promise<void> {
  const { path } = files.document(name);
  log.warn("engine.file_unreadable", "A configuration file cannot be read", { path, reason });
  await notices.open(
    "config-unreadable",
    `configs/${path} cannot be read: ${reason}. The last good state stays in force. Make it a file ` +
      `that Sluice may read and write (chown --reference=configs configs/${path}; chmod 640 ` +
      `configs/${path}), or remove what is there; it is taken in at once. The next change of it ` +
      `keeps it as ${path}.rejected`,
    { subject: path },
  );
}
