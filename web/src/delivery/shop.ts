/** One shop for the page: its state, its acts and its conversation, handed to the components below. */

import { inject, type InjectionKey } from "vue";
import { Http } from "../runtime/http.ts";
import { Registry } from "../runtime/registry.ts";
import { actionsOf } from "./actions.ts";
import { Acts, byUser, type Actor, type Pause, slept } from "./acts.ts";
import { makeState, Seen, type State } from "./store.ts";
import { type News, Talk } from "./talk.ts";

export const APP = "delivery";

export interface Shop {
  http: Http;
  state: State;
  seen: Seen;
  acts: Acts;
  talk: Talk;
  /** Do something for the person who clicked; what cannot be done is shown. True where it was done. */
  click: (act: (actor: Actor) => Promise<unknown>) => Promise<boolean>;
}

export function makeShop(session: string, news: News = {}, http: Http = new Http(), pause: Pause = slept): Shop {
  const state = makeState();
  const seen = new Seen();
  const changed = (): void => {
    if (state.drawer === "trail") void acts.readTrail().catch(problem);
    news.changed?.();
  };
  const problem = (error: unknown): void => {
    state.problem = error;
  };
  const acts = new Acts(http, state, seen, session, changed, pause);
  const talk = new Talk(http, new Registry(actionsOf(acts, http)), APP, session, seen, news);
  const click: Shop["click"] = async (act) => {
    state.problem = undefined;
    try {
      await act(byUser());
      return true;
    } catch (error) {
      problem(error);
      return false;
    }
  };
  return { http, state, seen, acts, talk, click };
}

export const SHOP: InjectionKey<Shop> = Symbol("shop");

export function useShop(): Shop {
  const shop = inject(SHOP);
  if (shop === undefined) throw new Error("there is no shop around this component");
  return shop;
}
