"""An endpoint to ask in tests: a server on this machine that answers as a script says, and misbehaves as told."""

import contextlib
import http.server
import json
import socket
import struct
import threading
import time


def completion(content, reasoning=None, finish="stop", usage=(7, 5)):
    """The body of a good answer."""
    message = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "fake"}
    body["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return body


class Say:
    """A response: `body` as JSON, or bytes as they are, after `delay` seconds."""

    def __init__(self, body, status=200, headers=None, delay=0.0, kind="application/json"):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.headers, self.delay, self.kind = status, headers or {}, delay, kind


RESET = object()
"""In a script: the connection is cut off without an answer."""


def says(content, **more):
    return Say(completion(content, **more))


def error(status, message="no", headers=None, code=None):
    return Say({"error": {"message": message, "code": code}}, status, headers)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Clients that give up are part of the play."""


class Endpoint:
    """`script(request, number)` gives the response to the number-th request, from 0. `requests` keeps what was asked."""

    def __init__(self, script):
        self.script, self.requests, self.keys, self.most_at_once = script, [], [], 0
        self._lock, self._now = threading.Lock(), 0

    @contextlib.contextmanager
    def running(self):
        server = _Server(("127.0.0.1", 0), self._handler())
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def _handler(endpoint):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with endpoint._lock:
                    number = len(endpoint.requests)
                    endpoint.requests.append(request)
                    endpoint.keys.append(self.headers["authorization"])
                    endpoint._now += 1
                    endpoint.most_at_once = max(endpoint.most_at_once, endpoint._now)
                try:
                    self._answer(endpoint.script(request, number))
                except OSError:
                    pass  # whoever asked has gone
                finally:
                    with endpoint._lock:
                        endpoint._now -= 1

            def _answer(self, said):
                if said is RESET:
                    # With this option the connection is reset, not closed.
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RD)
                    self.connection.close()
                    return
                time.sleep(said.delay)
                self.send_response(said.status)
                for name, value in {"content-type": said.kind, "content-length": len(said.body), **said.headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(said.body)

            def log_message(self, *_):
                pass

        return Handler


def question(request):
    """The last user message of a request, as text."""
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
