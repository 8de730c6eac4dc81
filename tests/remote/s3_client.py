# SPDX-License-Identifier: Apache-2.0
"""
Puts objects on an S3 server: a second implementation of AWS Signature Version 4 (Signature Version
4 signing process, AWS General Reference), which shares nothing with the one under test.
"""
import datetime
import hashlib
import hmac
import http.client
import os
import urllib.parse


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Client:
    """Requests of one user to one endpoint."""

    def __init__(self, endpoint, key, secret, region="us-east-1"):
        self.host = endpoint.split("://")[1]
        self.key, self.secret, self.region = key, secret, region

    def _signed(self, method, path, query, body):
        now = datetime.datetime.now(datetime.timezone.utc)
        when, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": self.host, "x-amz-content-sha256": digest, "x-amz-date": when}
        names = ";".join(sorted(headers))
        request = "\n".join([method, path, query,
                             *(f"{name}:{headers[name]}" for name in sorted(headers)), "", names,
                             digest])
        scope = f"{day}/{self.region}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", when, scope,
                          hashlib.sha256(request.encode()).hexdigest()])
        key = b"AWS4" + self.secret.encode()
        for part in (day, self.region, "s3", "aws4_request"):
            key = _hmac(key, part)
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={names}, "
            f"Signature={_hmac(key, text).hex()}")
        return headers

    def request(self, method, name, body=b"", query=""):
        """Returns status and body of the answer; `name` is BUCKET or BUCKET/KEY, `query` is encoded
        and sorted."""
        path = "/" + urllib.parse.quote(name, safe="/-._~")
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request(method, f"{path}?{query}" if query else path, body,
                           self._signed(method, path, query, body))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def put(self, name, body=b""):
        status, text = self.request("PUT", name, body)
        if status not in (200, 201):
            raise RuntimeError(f"PUT {name}: {status} {text[:300]}")

    def put_folder(self, folder, name):
        """Every file below `folder`, to keys below `name`."""
        for path, _, files in os.walk(folder):
            for file in files:
                full = os.path.join(path, file)
                with open(full, "rb") as data:
                    self.put(f"{name}/{os.path.relpath(full, folder)}", data.read())
