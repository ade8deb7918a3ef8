import { join } from "node:path";
import { removeFile, writeDurably } from "../../config/files.ts";
import { exists } from "../../config/folders.ts";

/**
 * A file that says across restarts that ours was taken out of the kernel. It lies in a folder of the
 * api's, which can remove it also where root wrote it.
 */
export class ReleaseFile {
  readonly path: string;
  /** Where earlier versions had it. */
  readonly #earlier: string;

  constructor(home: string) {
    this.path = join(home, "state", "api", "released");
    this.#earlier = join(home, "state", "released");
  }

  async isThere(): Promise<boolean> {
    return await exists(this.path) || await exists(this.#earlier);
  }

  async write(): Promise<void> {
    await writeDurably(
      this.path,
      "Nothing of Sluice is applied until `ctl network apply`.\n",
      "release",
    );
  }

  async remove(): Promise<void> {
    await removeFile(this.path);
    await removeFile(this.#earlier);
  }
}
