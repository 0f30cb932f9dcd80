"""What the core asks of the outside. Adapters implement these; only `bootstrap` names the adapters."""

from diarist.ports.outgoing import Completer, HubClient, Publisher
from diarist.ports.reading import Importer, Reading
from diarist.ports.search import Embedder, Index
from diarist.ports.storage import Scratch, Store, Vault, WholeStore
from diarist.ports.transaction import Transaction
from diarist.ports.working import JobBoard

__all__ = [
    "Completer",
    "Embedder",
    "HubClient",
    "Importer",
    "Index",
    "JobBoard",
    "Publisher",
    "Reading",
    "Scratch",
    "Store",
    "Transaction",
    "Vault",
    "WholeStore",
]
