/** Folders in which Debian keeps its tools. A permission to run follows no links, so all are named. */
export const TOOL_FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] as const;

/** The socket of a container engine, where there is one: only netd calls it, and only to read. */
export const DOCKER_SOCKET = "/run/docker.sock";

/** The socket of systemd's journal: it exists where a journal is written. */
export const JOURNAL_SOCKET = "/run/systemd/journal/socket";

/**
 * Sockets of systemd units that do one thing each as root, for processes without that privilege:
 * restart time synchronisation, restart every process, and list the state of the processes.
 */
export const ROOT_SOCKETS = {
  clock: "/run/sluice/clock.sock",
  restart: "/run/sluice/restart.sock",
  status: "/run/sluice/status.sock",
} as const;

/** Where the C library may lie on the systems and architectures that Deno runs on. */
export const LIBC_PATHS: readonly string[] = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/usr/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/usr/lib/aarch64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
];

/** Where libnftables may lie on the systems and architectures that Deno runs on. */
export const LIBNFTABLES_PATHS: readonly string[] = [
  "/usr/lib/x86_64-linux-gnu/libnftables.so.1",
  "/usr/lib/aarch64-linux-gnu/libnftables.so.1",
  "/usr/lib64/libnftables.so.1",
  "/usr/lib/libnftables.so.1",
];
