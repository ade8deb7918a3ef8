import type { ConfigFiles, Image } from "./config_files.ts";
import type { Log } from "../../log/log.ts";
import type { NoticeBoard } from "../../events/notice.ts";
import { Problem } from "../../errors/problem.ts";
import { words } from "../words.ts";

/** What is needed to put a file right. */
export interface RestoreOptions<C> {
  readonly files: ConfigFiles<C>;
  readonly notices: NoticeBoard;
  readonly log: Log;
}

/** Writes a document's file from what is in force. Throws Problem 500 where that cannot be. */
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
    throw new Problem(500, `configs/${path} could not be written: ${words(error)}`, {
      cause: error,
    });
  }
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
  options.log.warn("engine.file_unusable", "A configuration file cannot be used", { path, reason });
  await options.notices.open("config-rejected", detail, { subject: path });
}
