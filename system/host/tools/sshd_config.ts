import { join } from "node:path";

/** Where sshd is configured, and the folder whose files Debian's configuration includes. */
const SSHD_CONFIG = "/etc/ssh/sshd_config";
const SSHD_CONFIG_FOLDER = "/etc/ssh/sshd_config.d";

/** The texts of sshd's configuration files; those that are absent or may not be read are left out. */
export function sshdConfig(): string[] {
  const paths = [SSHD_CONFIG];
  try {
    for (const { name } of Deno.readDirSync(SSHD_CONFIG_FOLDER)) {
      if (name.endsWith(".conf")) paths.push(join(SSHD_CONFIG_FOLDER, name));
    }
  } catch {
    // No folder: only the one file.
  }
  return paths.flatMap((path) => {
    try {
      return [Deno.readTextFileSync(path)];
    } catch {
      return [];
    }
  });
}
