"""A contract, and what differs between two, as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evenhand.contracts.contract import Contract, Field
from evenhand.contracts.evolution import Change


def contract_lines(contract: Contract) -> tuple[str, ...]:
    """What a contract says, then each field with what it means."""
    return (
        f"{contract.name}, version {contract.version}",
        f"grain     {contract.grain}",
        f"key       {', '.join(contract.grain_key)}",
        f"owner     {contract.owner}",
        f"emitted   {contract.emitted_when}",
        f"answers   {contract.question}",
        "",
        *(line for field in contract.fields for line in _field_lines(field)),
    )


def change_lines(changes: Iterable[Change]) -> tuple[str, ...]:
    """One line a difference; those that need another version say so."""
    return tuple(
        f"{'allowed' if one.is_allowed else 'refused'}  {one.kind}"
        f"{'' if one.field is None else f' {one.field}'}: {one.says}"
        for one in changes
    )


def _field_lines(field: Field) -> Iterator[str]:
    traits = [field.type.value, "required" if field.required else "optional", field.privacy.value]
    if field.review:
        traits.append("tells of a review")
    yield f"{field.name}: {', '.join(traits)}"
    for text in (field.meaning, field.decision, field.need):
        if text is not None:
            yield f"    {text}"
