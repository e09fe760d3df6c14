/** The tools that run in this page, each by the same function that its button calls. The arguments have been judged by the server. */

import type { Http } from "../runtime/http.ts";
import { type Action, CannotNow } from "../runtime/registry.ts";
import type { Approval, ClientCall } from "../runtime/types.ts";
import { type Acts, byAgent } from "./acts.ts";
import { orderIn } from "./words.ts";

type Arguments = Record<string, unknown>;

const NO_YES = "Nobody has said yes to a cart here, so nothing was ordered.";

export function actionsOf(acts: Acts, http: Http): Action[] {
  const uuid = (args: Arguments): string => String(args["restaurant_uuid"]);
  const food = (args: Arguments): number => Number(args["food_id"]);
  const quantity = (args: Arguments): number | undefined => (args["quantity"] === undefined ? undefined : Number(args["quantity"]));

  return [
    {
      name: "open_restaurant_page",
      run: async (args, call) => `The page of ${(await acts.openRestaurantPage(uuid(args), byAgent(call))).name} is open.`,
    },
    { name: "close_restaurant_page", run: (_, call) => acts.closeRestaurantPage(byAgent(call)) },
    { name: "get_user_actions", run: async (args) => ({ acts: await acts.getUserActions(Number(args["last"] ?? 10)) }) },
    {
      name: "add_food_to_cart",
      run: (args, call) => acts.addFoodToCart(uuid(args), food(args), quantity(args) ?? 1, byAgent(call)),
    },
    {
      name: "remove_food_from_cart",
      run: (args, call) => acts.removeFoodFromCart(uuid(args), food(args), quantity(args), byAgent(call)),
    },
    { name: "open_shopping_cart", run: (_, call) => acts.openShoppingCart(byAgent(call)) },
    { name: "close_shopping_cart", run: (_, call) => acts.closeShoppingCart(byAgent(call)) },
    { name: "place_order", run: async (_, call) => acts.placeOrder(await agreedCart(http, call), byAgent(call)) },
    { name: "activate_handsfree", run: (args, call) => acts.activateHandsfree(args["on"] === true, byAgent(call)) },
  ];
}

/** The version of the cart that a person said yes to in this run: it, and no other, is ordered. */
async function agreedCart(http: Http, call: ClientCall): Promise<string> {
  const path = `/agent/approvals?status=approved&job_id=${encodeURIComponent(call.job_id)}`;
  const found = (await http.get<{ approvals: Approval[] }>(path)).approvals.find((each) => each.tool === call.tool);
  const order = orderIn(found?.show);
  if (order === undefined) throw new CannotNow(NO_YES);
  return order.cart;
}
