"""`GET /metrics`: who may read it, what it counts, and that nothing somebody made up is a label."""

from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.service.auth.links import sign_in_link
from tests.service.branch import Branch, approval_of, invoke, opened


async def numbers(branch: Branch) -> dict[str, float]:
    """Every sample but buckets and times, as `name{label=value,…}`."""
    async with branch.client("prometheus", "metrics") as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=")
    assert answer.headers["cache-control"] == "no-store"
    return {
        f"{sample.name}{{{','.join(f'{name}={value}' for name, value in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if not sample.name.endswith(("_bucket", "_created"))
    }


async def test_only_a_key_with_the_scope_reads_them(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.stranger() as stranger, branch.client("alice", "act-as") as alice:
        assert (await stranger.get("/metrics")).status_code == 401
        refused = await alice.get("/metrics")
        assert (refused.status_code, refused.json()["code"]) == (403, "no_scope")
        await stranger.get(await sign_in_link(branch.running.database, "http://service.test", user_id="alice", clock=branch.clock))
        assert (await stranger.get("/me")).status_code == 200
        assert (await stranger.get("/metrics")).status_code == 403


async def test_runs_model_calls_tools_and_refusals_are_counted(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.client("alice") as alice:
        await branch.ended(await invoke(alice, "hello", session="s1"))
        job_id = await invoke(alice, "pay 5 to bob", session="s2")
        await branch.waits(job_id)
        waiting = await numbers(branch)
        assert waiting["handrail_jobs_open{status=INPUT_REQUIRED}"] == 1
        approval = await approval_of(alice, job_id)
        await alice.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": True})
        await branch.ended(job_id)
        job_id = await invoke(alice, "pay 6 to bob", session="s3")
        await branch.waits(job_id)
        approval = await approval_of(alice, job_id)
        await alice.post(f"/agent/approvals/{approval['approval_id']}/decision", json={"approve": False})
        await branch.ended(job_id)
        seen = await numbers(branch)
        wanted = {
            "handrail_jobs_ended_total{agent=teller,status=COMPLETE}": 3,
            "handrail_runs_ended_total{agent=teller,outcome=completed,partial=false}": 3,
            "handrail_turns_total{agent=teller}": 5,
            "handrail_model_calls_total{agent=teller,end=replied}": 5,
            "handrail_model_tokens_total{agent=teller,type=input}": 50,
            "handrail_model_tokens_total{agent=teller,type=output}": 25,
            "handrail_tool_calls_total{agent=teller,end=returned,tool=pay}": 1,
            "handrail_tool_seconds_count{agent=teller,tool=pay}": 1,
            "handrail_model_seconds_count{agent=teller}": 5,
            "handrail_refusals_total{agent=teller,code=person_refused,guard=Approval(pay)}": 1,
            "handrail_jobs_open{status=INPUT_REQUIRED}": 0,
            "handrail_jobs_open{status=PENDING}": 0,
            "handrail_event_streams{}": 0,
            "handrail_http_seconds_count{method=POST,route=/agent/invoke,status=202}": 3,
            "handrail_http_seconds_count{method=POST,route=/agent/approvals/{approval_id}/decision,status=200}": 2,
        }
        assert {name: seen.get(name) for name in wanted} == wanted


async def test_nothing_that_somebody_made_up_is_a_label(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.client("S3NTINEL-user") as user, branch.stranger() as stranger:
        await branch.ended(await invoke(user, "S3NTINEL-message", session="S3NTINEL-session"))
        await user.get("/agent/status/S3NTINEL-job")
        await user.request("S3NTINEL", "/S3NTINEL-path")
        await stranger.get("/S3NTINEL-path")
        seen = await numbers(branch)
        assert "S3NTINEL" not in "".join(seen)
        assert seen["handrail_http_seconds_count{method=_OTHER,route=_OTHER,status=404}"] == 1
        assert seen["handrail_http_seconds_count{method=GET,route=_OTHER,status=401}"] == 1
        assert seen["handrail_http_seconds_count{method=GET,route=/agent/status/{job_id},status=404}"] == 1


async def test_an_event_stream_is_counted_while_it_is_open(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.client("alice") as alice:
        job_id = await invoke(alice, "pay 5 to bob")
        await branch.waits(job_id)
        stream = await branch.running.streams.opened("alice", job_id, after=-1)
        assert stream is not None
        await anext(stream)
        assert (await numbers(branch))["handrail_event_streams{}"] == 1
        await stream.aclose()
        assert (await numbers(branch))["handrail_event_streams{}"] == 0
