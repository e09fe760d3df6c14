"""What a transport trusts, what it refuses to begin with, and what it never tells (case 75)."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from handrail.errors import InputError, ModelError
from handrail.models.transports.aiohttp import AiohttpTransport
from handrail.models.transports.provider import Provider as Known
from handrail.models.transports.provider import provider
from tests.models.carrying import BODY, KEY, PATH, Carrier, answered, bare, failed, sends
from tests.models.providing import Answer, Provider, fails, replies, serving, whole

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that no authority has signed, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - timedelta(days=1), now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


async def test_a_certificate_that_nobody_vouches_for_is_refused(
    carrier: Carrier, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    async with bare(sends(OK), tls) as (url, heads):
        error = failed(await carrier.ask(url))
    assert error.kind == "connection" and heads == []


async def test_a_certificate_of_an_authority_that_the_environment_names_is_trusted(
    carrier: Carrier, tls: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with bare(sends(OK), tls) as (url, heads):
        assert answered(await carrier.ask(url)) == b"{}"
    assert len(heads) == 1


async def test_a_certificate_for_another_name_is_refused(
    carrier: Carrier, tls: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with bare(sends(OK), tls) as (url, heads):
        error = failed(await carrier.ask(url.replace("127.0.0.1", "localhost")))
    assert error.kind == "connection" and heads == []


def _told(error: BaseException | None) -> str:
    """Everything that an exception and what is behind it tells."""
    told = ""
    while error is not None:
        told += f"{error!r} {error} {vars(error)} {error.args}"
        error = error.__cause__ or error.__context__
    return told


@pytest.mark.parametrize(
    "answer",
    [
        fails(401, f"Incorrect API key provided: {KEY}. See https://host/v1?key={KEY}"),
        fails(404, f"nobody has {KEY}"),
        fails(503, KEY),
        replies({"error": KEY}, 400),
        replies({}, 307, location=f"http://127.0.0.1:1/?key={KEY}"),
    ],
)
async def test_case_75_the_key_is_in_no_failure_and_in_no_exception_behind_it(carrier: Carrier, answer: Answer) -> None:
    async with serving(Provider(answer).app) as url:
        error = failed(await carrier.ask(url))
    assert KEY not in _told(error) and error.__cause__ is None and error.__context__ is None


async def test_case_75_a_connection_that_fails_tells_neither_key_nor_address(carrier: Carrier) -> None:
    async with bare(sends(b"")) as (url, _):
        error = failed(await carrier.ask(url))
    assert KEY not in _told(error) and url not in _told(error) and error.__context__ is None


async def test_case_75_a_stream_that_breaks_off_tells_nothing(carrier: Carrier) -> None:
    cut = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n6\r\ndata: \r\n"
    async with bare(sends(cut)) as (url, _):
        error = failed(await carrier.ask(url, stream=True))
    assert KEY not in _told(error) and error.__cause__ is None and error.__context__ is None


@pytest.mark.usefixtures("no_proxies")
async def test_case_75_a_proxys_password_is_in_no_failure(carrier: Carrier, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bare(sends(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 2\r\n\r\nno")) as (url, _):
        monkeypatch.setenv("http_proxy", url.removesuffix("/v1").replace("://", "://me:S3NTINEL@"))
        refused = failed(await carrier.ask("http://provider.invalid/v1"))
    gone = failed(await carrier.ask("http://provider.invalid/v1"))
    assert str(refused) == "HTTP 407: no" and gone.kind == "connection"
    assert "S3NTINEL" not in _told(refused) + _told(gone)


def test_case_75_a_transport_shows_no_key(carrier: Carrier) -> None:
    assert KEY not in repr(carrier.make("http://host/v1"))


def test_case_75_what_is_known_of_a_provider_shows_its_address_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-gateway: S3NTINEL-gateway")
    known = provider("http://host/v1/", KEY)
    assert repr(known) == "Provider(url='http://host/v1')" and isinstance(known, Known)
    assert set(known.secrets) >= {KEY, "S3NTINEL-gateway"}


async def test_what_a_provider_sets_as_a_cookie_does_not_come_back() -> None:
    asked = Provider(replies(whole(), set_cookie="session=abc"))
    async with serving(asked.app) as url:
        transport = AiohttpTransport(base_url=url.replace("127.0.0.1", "localhost"), api_key=KEY)  # no jar keeps those of a bare address
        for _ in range(2):
            await transport.post(PATH, BODY, model="m")
        await transport.close()
    assert all("cookie" not in headers for headers in asked.headers)


async def test_a_netrc_of_the_machines_user_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password S3NTINEL-netrc\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    asked = Provider(replies(whole()))
    async with serving(asked.app) as url:
        transport = AiohttpTransport(base_url=url, api_key=KEY)
        await transport.post(PATH, BODY, model="m")
        await transport.close()
    assert asked.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_header_of_the_users_takes_the_place_of_ours_whatever_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "authorization: Token other\nno header")
    headers = provider("http://host/v1", KEY).headers
    assert [name for name in headers if name.lower() == "authorization"] == ["authorization"] and "no header" not in headers


@pytest.mark.parametrize(
    "url",
    [
        "host/v1",
        "ftp://host/v1",
        "http://",
        "http://me:S3NTINEL@host/v1",
        "http://host/v1?key=S3NTINEL",
        "http://host/v1#S3NTINEL",
        "http://host:S3NTINEL/v1",
        "http://host:0/v1",
        "http://[::S3NTINEL/v1",
    ],
)
def test_an_address_that_cannot_be_right_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(InputError, match="is to be like https://host/v1") as caught:
        AiohttpTransport(base_url=url, api_key=KEY)
    assert "S3NTINEL" not in _told(caught.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nx: y", "clé", "\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InputError, match="no header can carry") as caught:
        AiohttpTransport(base_url="http://host/v1", api_key=key)
    assert KEY not in _told(caught.value)


def test_without_a_key_it_says_at_once_what_to_do() -> None:
    with pytest.raises(InputError, match="Set OPENAI_API_KEY"):
        AiohttpTransport()


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("proxy", ["socks5://me:S3NTINEL@host:1080", "http://", "http://[::S3NTINEL"])
def test_a_proxy_that_cannot_be_used_is_refused_and_not_shown(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(InputError, match="not reached by http or https") as caught:
        AiohttpTransport(api_key=KEY)
    assert "S3NTINEL" not in _told(caught.value)
    AiohttpTransport(api_key=KEY, proxies=False)


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_without_a_scheme_is_reached_by_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    assert provider("https://host/v1", KEY).proxy == "http://proxy.example:3128"


async def test_what_goes_wrong_while_an_error_is_read_leaves_its_status() -> None:
    cut = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 100\r\n\r\nso"
    async with bare(sends(cut)) as (url, heads):
        transport = AiohttpTransport(base_url=url, api_key=KEY)
        with pytest.raises(ModelError, match="HTTP 400: so"):
            await transport.post(PATH, BODY, model="m")
        await transport.close()
    assert len(heads) == 1


async def test_an_error_without_end_is_read_only_at_its_beginning() -> None:
    hung_up = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        try:
            while True:
                writer.write(b"no " * 10_000)
                await writer.drain()
        finally:
            hung_up.set()

    async with bare(endless) as (url, _):
        transport = AiohttpTransport(base_url=url, api_key=KEY)
        with pytest.raises(ModelError, match="HTTP 400: no no no"):
            await transport.post(PATH, BODY, model="m")
        await hung_up.wait()
        await transport.close()
