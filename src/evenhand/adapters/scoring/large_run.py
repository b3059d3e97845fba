"""How is a run ranked that is too large for plain Python? By columns of bytes, two at a time.

Read and digested while numpy is still imported. What is wrong with a line, the line-numbered
reader says.
"""

from __future__ import annotations

from evenhand.adapters.scoring.heads import HEAD_BYTES, without_head
from evenhand.adapters.scoring.run_blocks import Blocks, Cramped
from evenhand.core.scoring.lines import BadLine, run_line

# Not from typing, which is imported later, while this reads already.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenhand.adapters.scoring.source import Opened, Source
    from evenhand.core.scoring.judgements import Judgements
    from evenhand.core.scoring.kernel import BlockHits
    from evenhand.core.scoring.run_facts import RankedRun


class LargeRun:
    """A run that is read once, or again where its rows lie in another order.

    Attributes:
        sha256: gives the digest of its bytes on disk, once it was read.

    Args:
        source: the run.
        judged: gives the judgements as columns, when numpy is imported.
        threads: how many work.
        block_bytes: of text that each works on at a time.
        is_forking: whether they are processes.
    """

    def __init__(
        self,
        source: Source,
        judged: Callable[[], Judgements],
        *,
        threads: int,
        block_bytes: int,
        is_forking: bool,
    ) -> None:
        self._source, self._judged = source, judged
        self._threads, self._block_bytes = threads, block_bytes
        self._is_forking = is_forking
        self.sha256: Callable[[], str] = str

    def ranked(self, stream: Opened, begun: bytes) -> RankedRun | None:
        """The judged hits of the run; None where two ids have one key.

        Args:
            stream: its text.
            begun: what was read of that.

        Raises:
            InvalidFile: it cannot be read, or lines of it break a rule.
        """
        self.sha256 = stream.sha256
        if self._is_forking:
            from evenhand.adapters.scoring.processes import SharedBlocks, Unanswered

            try:
                with SharedBlocks(
                    Blocks(self._source, stream, begun), self._block_bytes
                ) as shared:
                    shared.read_ahead()
                    return self._found(shared.hits)
            except (Cramped, Unanswered):
                with self._source.opened() as again:
                    self.sha256 = again.sha256
                    begun, _ = without_head(again.read(HEAD_BYTES), self._source.label)
                    return self._found_by_threads(again, begun)
        return self._found_by_threads(stream, begun)

    def _found_by_threads(self, stream: Opened, begun: bytes) -> RankedRun | None:
        def find(judgements: Judgements) -> list[BlockHits]:
            from evenhand.adapters.scoring.columns import hits_by_blocks

            blocks = Blocks(self._source, stream, begun)
            return hits_by_blocks(
                judgements, blocks, threads=self._threads, block_bytes=self._block_bytes
            )

        return self._found(find)

    def _found(self, find: Callable[[Judgements], list[BlockHits]]) -> RankedRun | None:
        """The run as a whole, from the hits of its blocks."""
        from evenhand.core.scoring.byte_words import Irregular
        from evenhand.core.scoring.kernel import Repeated, Scattered, whole_run

        query = None
        try:
            judgements = self._judged()
            try:
                return whole_run(judgements, find(judgements))
            except Scattered:
                return whole_run(judgements, self._found_anywhere(judgements))
        except (BadLine, Irregular):
            pass
        except Repeated as error:
            query = error.query
        from evenhand.adapters.scoring.faults import refuse

        refuse(self._source, run_line, query=query)
        return None  # The lines are right, so two ids had one key.

    def _found_anywhere(self, judgements: Judgements) -> list[BlockHits]:
        from evenhand.adapters.scoring.columns import hits_anywhere

        with self._source.opened() as again:
            self.sha256 = again.sha256
            return hits_anywhere(judgements, self._source, again, threads=self._threads)
