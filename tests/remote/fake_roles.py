# SPDX-License-Identifier: Apache-2.0
"""
The services that give roles their keys: version 2 of the instance metadata service, which wants a
token first, and the container protocol of ECS and EKS, which wants an Authorization header.
"""
import datetime
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROLE = "train-role@1"
PATH = "/latest/meta-data/iam/security-credentials/"
TOKEN = "AQAEAtoken=="
CONTAINER_TOKEN = "Bearer container-token"


def expiry(seconds):
    when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text=""):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        right = self.path == "/latest/api/token" and ttl.isdigit() and 1 <= int(ttl) <= 21600
        self.answer(200 if right else 400, TOKEN if right else "")

    def do_GET(self):
        roles = self.server.roles
        container = self.path == "/container"
        header, token = (("Authorization", CONTAINER_TOKEN) if container
                         else ("X-aws-ec2-metadata-token", TOKEN))
        if self.headers.get(header) != token:
            self.answer(401)
        elif self.path == PATH:
            self.answer(200 if roles.has_role else 404, ROLE if roles.has_role else "")
        elif container or self.path == PATH + ROLE:
            roles.over.wait(roles.delay_s)
            roles.asked += 1
            self.answer(200, roles.text())
        else:
            self.answer(404)


class Roles:
    """with Roles() as roles: roles.url; roles.keys() gives the next keys, each with its number."""

    def __init__(self):
        self.asked, self.delay_s, self.lives_s, self.has_role = 0, 0, 3600, True
        self.garbage, self.over = None, threading.Event()

    def set(self, **facts):
        self.__init__()
        vars(self).update(facts)

    def text(self):
        return self.garbage or json.dumps({
            "Code": "Success", "AccessKeyId": f"ROLEKEY{self.asked}",
            "SecretAccessKey": f"role/SECRET{self.asked}", "Token": f"token-{self.asked}",
            "Expiration": expiry(self.lives_s)})

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.daemon_threads = True
        self.server.roles = self
        threading.Thread(target=self.server.serve_forever, args=(.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    def instance(self):
        return {"AWS_EC2_METADATA_SERVICE_ENDPOINT": self.url, "AWS_EC2_METADATA_DISABLED": "false"}

    def container(self):
        return {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{self.url}/container",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": CONTAINER_TOKEN}
