"""What a worker answers on its own port: its health to everybody, its numbers to whoever may read them, and nothing else."""

import httpx2
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.service.app import routes
from handrail.service.watched import OPEN_ROUTES, make_watched
from tests.service.branch import invoke, opened


async def test_a_worker_tells_its_health_to_everybody_and_its_numbers_to_whoever_may_read_them(database: AsyncEngine) -> None:
    async with opened(database) as branch, branch.client("alice") as alice:
        await branch.ended(await invoke(alice, "hello"))
        service = make_watched(branch.running, ())
        assert sorted(routes(service)) == ["/healthz", "/metrics", "/readyz"]
        transport = httpx2.ASGITransport(service)
        async with httpx2.AsyncClient(transport=transport, base_url="http://worker.test") as client:
            assert [(await client.get(path)).status_code for path in OPEN_ROUTES] == [200, 200]
            for path in ("/metrics", "/agent/jobs", "/openapi.json", "/"):
                assert (await client.get(path)).status_code == 401, path
            refused = await client.get("/metrics", headers={"X-API-Key": await branch.key("alice", "act-as")})
            assert (refused.status_code, refused.json()["code"]) == (403, "no_scope")
            answer = await client.get("/metrics", headers={"X-API-Key": await branch.key("prometheus", "metrics")})
            assert 'handrail_jobs_ended_total{agent="teller",status="COMPLETE"} 1.0' in answer.text
