"""Only the browser that opened the address, and only its own pages, reach the app."""

import asyncio

import pytest

from raters.web.guard import HEADERS, Guard

PORT = 8123
HOST = f"127.0.0.1:{PORT}"


async def echo(scope, receive, send):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    if scope["path"] == "/broken":
        raise RuntimeError("a secret path: /home/someone")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the app"})


class Browser:
    def __init__(self, most=1 << 20):
        self.told = []
        self.guard = Guard(echo, PORT, self.told.append, most)

    def ask(self, path="/", method="GET", host=HOST, body=b"", **heads):
        sent = []
        path, _, query = path.partition("?")
        given = [(b"host", host.encode())] + [(k.replace("_", "-").encode(), v.encode()) for k, v in heads.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": given}

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(self.guard(scope, receive, send))
        heads = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
        return sent[0]["status"], heads, b"".join(m.get("body", b"") for m in sent[1:])

    def cookie(self):
        _, heads, _ = self.ask(f"/start?token={self.guard.once}")
        return heads["set-cookie"].split(";")[0]


def test_the_token_is_exchanged_once_for_a_cookie_that_no_script_sees():
    b = Browser()
    token = b.guard.once
    status, heads, _ = b.ask(f"/start?token={token}")
    assert status == 303 and heads["location"] == "/"
    assert "HttpOnly" in heads["set-cookie"] and "SameSite=Strict" in heads["set-cookie"]
    assert heads["set-cookie"].startswith(f"raters-{PORT}=") and token not in heads["set-cookie"]
    status, _, said = b.ask(f"/start?token={token}")
    assert status == 403 and token.encode() not in said
    assert len(b.told) == 1 and token not in b.told[0]  # a new address, on the terminal alone


def test_the_app_answers_with_the_cookie_alone():
    b = Browser()
    assert b.ask("/")[0] == 403
    assert b.ask("/", cookie=f"raters-{PORT}=guess")[0] == 403
    status, heads, body = b.ask("/", cookie=b.cookie())
    assert (status, body) == (200, b"the app")
    assert all(heads[name] == value for name, value in HEADERS.items())


@pytest.mark.parametrize(
    "asked",
    [
        {"host": f"evil.example:{PORT}"},
        {"host": f"localhost:{PORT}"},
        {"host": "127.0.0.1"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"method": "POST"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_foreign_requests_are_refused_even_with_the_cookie(asked):
    b = Browser()
    assert b.ask("/", cookie=b.cookie(), **asked)[0] in (403, 421)


def test_our_own_form_is_let_through():
    b = Browser()
    heads = {"origin": f"http://{HOST}", "sec_fetch_site": "same-origin"}
    assert b.ask("/open", method="POST", cookie=b.cookie(), **heads)[0] == 200


def test_too_much_is_refused_whatever_the_header_says():
    b = Browser(most=10)
    ours = {"origin": f"http://{HOST}", "method": "POST", "cookie": b.cookie()}
    assert b.ask("/open", content_length="11", **ours)[0] == 413
    assert b.ask("/open", content_length="1", body=b"x" * 11, **ours)[0] == 413
    assert b.ask("/open", body=b"x" * 10, **ours)[0] == 200


def test_a_fault_shows_no_trace():
    b = Browser()
    status, _, said = b.ask("/broken", cookie=b.cookie())
    assert status == 500 and b"secret" not in said and b"Traceback" not in said


def test_the_policy_allows_no_inline_script_and_no_other_host():
    policy = HEADERS["content-security-policy"]
    scripts = next(x for x in policy.split("; ") if x.startswith("script-src"))
    assert scripts == "script-src 'self'" and "http" not in policy and "eval" not in policy
