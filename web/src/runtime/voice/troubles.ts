/** What can go wrong between a voice and a page, in words that say what to do. */

import { Problem } from "../http.ts";

export const UNHEARD = "Nothing was understood. Say it again, a little closer to the microphone.";
export const NOT_YET = "Nothing was decided: a yes counts once all of it has been read out. Here it is again.";
export const LOST = "The microphone has gone. Connect it, then press the button again.";
const NO_SPEECH =
  "This service can neither hear nor speak. Whoever runs it can install handrail[voice], or name an audio server. Typing works as ever.";

/** Why there is no microphone. */
export function microphoneTrouble(error: unknown): string {
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return "The microphone is not allowed here. Allow it in the browser's address bar, then press the button again. Typing works as ever.";
    case "NotFoundError":
    case "OverconstrainedError":
      return "There is no microphone. Connect one, then press the button again. Typing works as ever.";
    case "NotReadableError":
    case "AbortError":
      return "The microphone cannot be used now; another program may have it. Close that, then press the button again.";
    default:
      return "This browser gives no microphone to this page: it needs https, or an address of this machine's own. Typing works as ever.";
  }
}

/** Why something that was said was not heard. */
export function hearingTrouble(error: unknown): string {
  if (!(error instanceof Problem)) return "What you said could not be sent. Say it again.";
  switch (error.status) {
    case 0:
      return "The service cannot be reached, so nobody has heard that. Say it again once you are online.";
    case 400:
    case 413:
    case 422:
      return "That recording could not be read. Say it again, and not for longer than half a minute.";
    case 401:
      return "You are not signed in here any more. Open the link that the service has printed.";
    case 429:
    case 503:
      return "Too much is being said at once. Wait a moment, then say it again.";
    case 501:
      return NO_SPEECH;
    default:
      return "The service could not hear that. Say it again, or type it.";
  }
}

/** Why a yes or a no was not recorded; the service says itself how things stand. */
export function decidingTrouble(error: unknown): string {
  return error instanceof Problem ? error.message : "That could not be recorded. Look at what waits, and use its buttons.";
}

/** Why something was not read out. */
export function speakingTrouble(error: unknown): string {
  if (error instanceof Problem && error.status === 501) return NO_SPEECH;
  return "The answer could not be read out. It is written on the page.";
}
