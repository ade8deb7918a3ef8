/** Folders of Debian's tools. A run permission follows no symbolic links, so all are listed. */
export const TOOL_FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] as const;

/** The socket of the container engine: only netd connects to it. */
export const DOCKER_SOCKET = "/run/docker.sock";

/** The socket of systemd's journal: it exists where there is a journal. */
export const JOURNAL_SOCKET = "/run/systemd/journal/socket";

/**
 * Sockets of systemd units that do one thing each as root, for processes without that privilege:
 * restart time synchronisation, set the clock, restart every process, and list the state of the
 * processes.
 */
export const ROOT_SOCKETS = {
  clock: "/run/sluice/clock.sock",
  settime: "/run/sluice/settime.sock",
  restart: "/run/sluice/restart.sock",
  status: "/run/sluice/status.sock",
} as const;

/** The socket on which systemd takes the notifications of its services (sd_notify(3)). */
export const NOTIFY_SOCKET = "/run/systemd/notify";

/** Paths of the C library on the systems and architectures that Deno supports. */
export const LIBC_PATHS: readonly string[] = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/usr/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/usr/lib/aarch64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
];

/** Paths of libnftables on the systems and architectures that Deno supports. */
export const LIBNFTABLES_PATHS: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libnftables.so.1",
  "/usr/lib/aarch64-linux-gnu/libnftables.so.1",
  "/usr/lib64/libnftables.so.1",
  "/usr/lib/libnftables.so.1",
];
