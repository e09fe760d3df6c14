import { flushPromises, mount } from "@vue/test-utils";
import { describe, expect, it } from "vitest";
import { Http, Problem } from "../../src/runtime/http.ts";
import type { Approval } from "../../src/runtime/types.ts";
import Confirm from "../../src/trips/Confirm.vue";

const APPROVAL: Approval = {
  approval_id: "apr_1",
  job_id: "job_1",
  session_id: "s",
  tool: "submit_plan",
  arguments: "{}",
  show: "Two days\n<img src=x onerror=alert(1)>",
  digest: "d1",
  status: "pending",
  decided_by: null,
  comment: null,
  expires_at: null,
};

function service(problem?: Problem) {
  const sent: unknown[] = [];
  class Scripted extends Http {
    override async post<T>(path: string, body: unknown): Promise<T> {
      sent.push([path, body]);
      if (problem !== undefined) throw problem;
      return {} as T;
    }
  }
  return { http: new Scripted(), sent };
}

describe("the card that wants a yes", () => {
  it("shows the whole document as text, and binds the yes to it", async () => {
    const { http, sent } = service();
    const card = mount(Confirm, { props: { http, approval: APPROVAL } });
    expect(card.findAll("li").map((line) => line.text())).toEqual(["Two days", "<img src=x onerror=alert(1)>"]);
    expect(card.find("img").exists()).toBe(false);
    await card.get("button.primary").trigger("click");
    await card.get("button.primary").trigger("click");
    await flushPromises();
    expect(sent).toEqual([["/agent/approvals/apr_1/decision", { approve: true, digest: "d1" }]]);
    expect(card.emitted("decided")).toHaveLength(1);
  });

  it("says why an answer did not count, and lets one try again", async () => {
    const { http } = service(new Problem(410, "expired", "This has expired. Nothing was run."));
    const card = mount(Confirm, { props: { http, approval: APPROVAL } });
    await card.findAll("button")[1]?.trigger("click");
    await flushPromises();
    expect(card.get("[role=alert]").text()).toBe("This has expired. Nothing was run.");
    expect(card.get("button.primary").attributes("disabled")).toBeUndefined();
    expect(card.emitted("decided")).toBeUndefined();
  });
});
