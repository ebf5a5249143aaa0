import hashlib
import hmac

import pytest

from sandbank import verify_signature

BODY = '{"status":"PAID","name":"São Paulo"}'.encode()
SIGNATURE = "sha256=" + hmac.new(b"secret", BODY, hashlib.sha256).hexdigest()


def test_the_signature_of_these_bytes_verifies():
    assert verify_signature("secret", BODY, SIGNATURE)


@pytest.mark.parametrize(
    "secret, body, header",
    [
        ("other", BODY, SIGNATURE),
        ("secret", BODY + b" ", SIGNATURE),
        ("secret", BODY, None),
        ("secret", BODY, ""),
        ("secret", BODY, SIGNATURE.removeprefix("sha256=") if hasattr(str, "removeprefix") else SIGNATURE[7:]),
        ("secret", BODY, SIGNATURE.upper()),
        ("secret", BODY, SIGNATURE[:-1]),
        ("secret", BODY, "sha256=ä"),
        ("secret", BODY, "sha256=\udcff"),
        ("", BODY, "sha256=" + hmac.new(b"", BODY, hashlib.sha256).hexdigest()),
    ],
)
def test_anything_else_does_not(secret, body, header):
    assert not verify_signature(secret, body, header)


def test_text_in_place_of_bytes_is_refused():
    with pytest.raises(TypeError, match="Pass the bytes that arrived"):
        verify_signature("secret", BODY.decode(), SIGNATURE)
