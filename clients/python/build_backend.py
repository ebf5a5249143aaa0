"""Builds the wheel of this folder with the standard library alone (PEP 517), from what pyproject.toml says."""

import base64
import hashlib
import pathlib
import re
import zipfile

FOLDER = pathlib.Path(__file__).parent
PROJECT = (FOLDER / "pyproject.toml").read_text(encoding="utf-8")


def _value(key):
    return re.search(rf'^{key} = "(.*)"$', PROJECT, re.MULTILINE).group(1)


NAME, VERSION = _value("name"), _value("version")
DIST_INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: {_value("description")}
Requires-Python: {_value("requires-python")}
License: MIT
Description-Content-Type: text/markdown

{(FOLDER / "README.md").read_text(encoding="utf-8")}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ENTRY_POINTS = f"[pytest11]\nsandbank = {_value('sandbank')}\n"


def _write(wheel_directory, package):
    files = {
        **package,
        f"{DIST_INFO}/METADATA": METADATA.encode(),
        f"{DIST_INFO}/WHEEL": WHEEL.encode(),
        f"{DIST_INFO}/entry_points.txt": ENTRY_POINTS.encode(),
    }
    record = f"{DIST_INFO}/RECORD"
    lines = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}"
        for path, content in files.items()
    ]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    sources = sorted(path for path in (FOLDER / NAME).iterdir() if path.suffix == ".py" or path.name == "py.typed")
    return _write(wheel_directory, {f"{NAME}/{path.name}": path.read_bytes() for path in sources})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {f"{NAME}.pth": f"{FOLDER}\n".encode()})
