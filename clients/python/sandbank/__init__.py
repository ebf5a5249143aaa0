"""Client of a sandbank server: worlds, acts, faults, time, and a receiver for webhooks. Standard library alone."""

from .clock import Clock
from .client import Answer, Company, Sandbox, SandboxRefusal, World
from .receiver import Receiver
from .signature import verify_signature

__all__ = ["Answer", "Clock", "Company", "Receiver", "Sandbox", "SandboxRefusal", "World", "verify_signature"]
