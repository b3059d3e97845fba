"""What is an embedder, and what must be known of one for its vectors to be comparable?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: What a text is for; some models are told.
Kind = Literal["query", "document"]


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Short name, such as ``minilm``."""

    @property
    def label(self) -> str:
        """Model label: a name and the SHA-256 of the weights that were loaded."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def batch_policy(self) -> str:
        """How texts go through the model together, as far as that moves a vector."""

    @property
    def settings(self) -> Mapping[str, str | int]:
        """Everything beside the weights that moves a vector, versions of libraries included."""

    def embed(self, texts: Sequence[str], kind: Kind = "query") -> NDArray[np.float32]:
        """One vector for each text.

        Args:
            texts: any number, in any order; a vector does not depend on the other texts.
            kind: what the texts are for.

        Returns:
            Shape ``(len(texts), dimension)``, float32, rows of length 1; all zeros for a text in
            which the model knows no token.
        """
