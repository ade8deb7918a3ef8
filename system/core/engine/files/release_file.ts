import { join } from "node:path";
import { removeFile, writeDurably } from "../../config/files.ts";

/** A file that says across restarts that ours was taken out of the kernel. */
export class ReleaseFile {
  readonly path: string;

  constructor(home: string) {
    this.path = join(home, "state", "released");
  }

  async isThere(): Promise<boolean> {
    try {
      await Deno.stat(this.path);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
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
  }
}
