"""Asks a Triton server for its health, its metadata and, when TRITON_MODEL is set, for a model's readiness and an answer.

Runs inside the Triton image with nothing but Python's standard library. Ends with 1 and one line on standard error when
something is not as it should be.
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["TRITON_URL"]
TIMEOUT = float(os.environ.get("TRITON_TIMEOUT_SECONDS", "60"))
MODEL = os.environ.get("TRITON_MODEL")
REQUEST = os.environ.get("TRITON_REQUEST")
HEADERS = {"Content-Type": "application/json"}
if "TRITON_ADMIN_HEADER" in os.environ:
    HEADERS[os.environ["TRITON_ADMIN_HEADER"]] = os.environ["TRITON_ADMIN_KEY"]


def ask(path, body=None):
    """Returns the body of the answer, or ends the program when the status is not 200."""
    data = None if body is None else body.encode()
    request = urllib.request.Request(URL + path, data=data, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        sys.exit(f"{path}: status {error.code}: {error.read().decode(errors='replace')}")
    except OSError as error:
        sys.exit(f"{URL}{path}: {error}")
    print(f"{path}: {text[:400] or 'ok'}")
    return text


ask("/v2/health/live")
ask("/v2/health/ready")
ask("/v2")
if MODEL:
    path = "/v2/models/" + urllib.parse.quote(MODEL, safe="")
    ask(path + "/ready")
    if REQUEST:
        outputs = json.loads(ask(path + "/infer", REQUEST)).get("outputs", [])
        if not all(output.get("data") for output in outputs) or not outputs:
            sys.exit(f"{path}/infer: an answer without outputs")
