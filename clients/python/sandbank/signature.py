"""The signature of webhooks: ``x-signature-sha256: sha256=<hex>`` over the exact bytes of the body."""

from __future__ import annotations

import hashlib
import hmac
from typing import Optional, Union


def verify_signature(secret: str, body: Union[bytes, bytearray], header: Optional[str]) -> bool:
    """Whether ``header`` is the signature of these bytes with ``secret``, compared in constant time.

    ``body`` is what arrived, before any parsing. False for a header that is missing or malformed, and for an empty
    secret, which would let anyone sign. While a secret is rotated, accept what verifies with either of the two.
    """
    if isinstance(body, str):
        raise TypeError("Failed to verify a signature: the body is text. Pass the bytes that arrived.")
    if not secret or header is None:
        return False
    expected = "sha256=" + hmac.new(secret.encode(), bytes(body), hashlib.sha256).hexdigest()
    # compare_digest refuses text with characters outside ASCII, which a header may contain.
    return hmac.compare_digest(expected.encode(), header.encode("utf-8", "surrogateescape"))
