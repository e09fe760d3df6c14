/** Tabs of one session tell each other that something has changed; what it is they read from the server. */

export interface Tabs {
  tell: () => void;
  close: () => void;
}

export function otherTabs(session: string, heard: () => void): Tabs {
  if (typeof BroadcastChannel === "undefined") return { tell: () => undefined, close: () => undefined };
  const channel = new BroadcastChannel(`handrail.delivery.${session}`);
  channel.onmessage = heard;
  return { tell: () => channel.postMessage("changed"), close: () => channel.close() };
}
