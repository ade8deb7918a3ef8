import { removeFile } from "../../core/config/files.ts";

/** Names of interfaces that tunnels of ours may have. */
const OURS = /^(wg0|site\d{1,2}|mesh-wg\d{0,2})$/;

/**
 * Which interfaces we created: an empty file for each, in a folder of mode 0700. A tunnel outlives its
 * process, and the next one must distinguish it from interfaces of others.
 */
export class OwnedLinks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const { name } of Deno.readDir(this.#folder)) {
        if (OURS.test(name)) names.push(name);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names;
  }

  async add(name: string): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${this.#folder}/${name}`, "", { mode: 0o600 });
  }

  async remove(name: string): Promise<void> {
    await removeFile(`${this.#folder}/${name}`);
  }
}
