/**
 * What the agent may do in an interface: a typed registry of actions, each calling the same function as the button does.
 *
 * - An action says by throwing `CannotNow` why the interface cannot do it now; whatever else it throws is told without its words.
 * - A tool that is not here is an error result at once: the run goes on and the model hears of it.
 */

import type { ClientCall, ClientResult } from "./types.ts";

export interface Action {
  name: string;
  run: (args: Record<string, unknown>, call: ClientCall) => Promise<unknown>;
}

/** The interface cannot do this now, and these are the words that the model gets. */
export class CannotNow extends Error {}

export class Registry {
  private readonly actions: ReadonlyMap<string, Action>;

  constructor(actions: readonly Action[]) {
    this.actions = new Map(actions.map((action) => [action.name, action]));
    if (this.actions.size < actions.length) throw new Error("two actions have one name");
  }

  /** Act, and say what came of it. It never throws. */
  async act(call: ClientCall): Promise<ClientResult> {
    const { job_id, call_id } = call;
    const action = this.actions.get(call.tool);
    if (action === undefined) return { job_id, call_id, error: `This interface has no ${call.tool}.` };
    try {
      return { job_id, call_id, content: (await action.run(call.arguments, call)) ?? "done" };
    } catch (error) {
      return {
        job_id,
        call_id,
        error: error instanceof CannotNow ? error.message : "The interface failed to do this; nothing was changed.",
      };
    }
  }
}
