/// <reference lib="webworker" />
/**
 * Shows alerts that reach this browser by web push, and opens the page that they are about. A new device
 * is decided about there, by the user who is signed in: a notification itself may do nothing.
 */
declare const self: ServiceWorkerGlobalScope;

/** What the router sends, encrypted for this browser. */
interface PushedAlert {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Notice of a new device; empty for none. */
  readonly decides: string;
  readonly router: string;
}

const ACTS = [["allow", "Allow"], ["block", "Block"]] as const;

self.addEventListener("push", (event) => {
  const alert = event.data?.json() as PushedAlert;
  const options: NotificationOptions & { readonly actions?: unknown } = {
    body: alert.text === "" ? alert.router : alert.text,
    // A second copy replaces the first.
    tag: alert.id,
    data: { decides: alert.decides },
    ...(alert.decides === ""
      ? {}
      : { actions: ACTS.map(([action, title]) => ({ action, title })) }),
  };
  event.waitUntil(self.registration.showNotification(alert.title, options));
});

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  notification.close();
  const { decides } = notification.data as { readonly decides: string };
  const query = new URLSearchParams({
    ...(decides === "" ? {} : { notice: decides }),
    ...(action === "" ? {} : { act: action }),
  });
  const path = `/admin/alerts${query.size === 0 ? "" : `?${query}`}`;
  event.waitUntil(self.clients.openWindow(path));
});
